import { notFound, type Row, refused } from "./row.ts";

const posted = { body: "The message is posted." };
const address = "GET jobs/slack_approval/job-1";

export const approvals: Row[] = [
  {
    title: "requestInteractiveChatApproval names the resource, the channel and the step that runs it",
    call: "requestInteractiveChatApproval",
    args: [{ chatResourcePath: "f/ops/slack", channelId: "C01" }],
    replies: [posted],
    requests: [`${address} channel_id=C01 flow_step_id=a slack_resource_path=f/ops/slack`],
  },
  {
    title: "requestInteractiveChatApproval leaves the channel to the resource, and sends values of the form as JSON",
    call: "requestInteractiveChatApproval",
    args: [
      {
        chatResourcePath: "f/ops/slack",
        message: "Pay <7> & go?",
        approver: "Ann é",
        // In the order of the names, because Go sorts them.
        defaultArgsJson: { amount: 7, nested: { list: [null, true] }, note: "<é> & co" },
        dynamicEnumsJson: { count: [1, 2], size: ["S", "L"] },
        resumeButtonText: "Pay",
        cancelButtonText: "Do not",
      },
    ],
    replies: [posted],
    requests: [
      [
        address,
        "approver=Ann é",
        "cancel_button_text=Do not",
        'default_args_json={"amount":7,"nested":{"list":[null,true]},"note":"<é> & co"}',
        'dynamic_enums_json={"count":[1,2],"size":["S","L"]}',
        "flow_step_id=a",
        "message=Pay <7> & go?",
        "resume_button_text=Pay",
        "slack_resource_path=f/ops/slack",
      ].join(" "),
    ],
  },
  {
    title: "requestInteractiveChatApproval throws the sentence of the service if the message cannot be posted",
    call: "requestInteractiveChatApproval",
    args: [{ chatResourcePath: "f/ops/slack", channelId: "C0NONE" }],
    replies: [notFound],
    requests: [`${address} channel_id=C0NONE flow_step_id=a slack_resource_path=f/ops/slack`],
    error: refused,
  },
  {
    title: "requestInteractiveSlackApproval is the older name, also of the path of the resource",
    call: "requestInteractiveSlackApproval",
    args: [{ slackResourcePath: "f/ops/slack", channelId: "C01", message: "Go?" }],
    replies: [posted],
    requests: [`${address} channel_id=C01 flow_step_id=a message=Go? slack_resource_path=f/ops/slack`],
  },
];
