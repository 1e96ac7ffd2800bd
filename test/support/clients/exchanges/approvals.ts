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
  {
    title: "requestInteractiveDiscordApproval sends its fields as JSON, and leaves out those that are absent",
    call: "requestInteractiveDiscordApproval",
    args: [{ chatResourcePath: "f/ops/discord", channelId: "123", message: "Pay <7>?", defaultArgsJson: { note: "<é>" } }],
    replies: [posted],
    requests: ["POST jobs/discord_approval/job-1"],
    bodies: [
      {
        discord_resource_path: "f/ops/discord",
        channel_id: "123",
        flow_step_id: "a",
        message: "Pay <7>?",
        default_args_json: '{"note":"<é>"}',
      },
    ],
  },
  ...["requestInteractiveCollabApproval", "requestInteractiveTeamsApproval"].map((call) => ({
    title: `${call} names the team, the channel and the step that runs it`,
    call,
    args: [{ teamName: "Operations", channelName: "General", message: "Go?", dynamicEnumsJson: { size: ["S"] }, resumeButtonText: "Pay" }],
    replies: [posted],
    requests: [
      [
        "GET jobs/teams_approval/job-1 channel_name=General",
        'dynamic_enums_json={"size":["S"]} flow_step_id=a message=Go? resume_button_text=Pay team_name=Operations',
      ].join(" "),
    ],
  })),
  {
    title: "requestInteractiveCollabApproval names the resource of the bot if the workspace has several",
    call: "requestInteractiveCollabApproval",
    args: [{ teamName: "Operations", channelName: "General", chatResourcePath: "f/ops/teams" }],
    replies: [posted],
    requests: ["GET jobs/teams_approval/job-1 channel_name=General chat_resource_path=f/ops/teams flow_step_id=a team_name=Operations"],
  },
  {
    title: "sendTeamsMessage sends a text and a card to a conversation",
    call: "sendTeamsMessage",
    args: [{ conversationId: "19:a@thread.tacv2", text: "Go?", cardBlock: { type: "AdaptiveCard", body: [] }, success: false }],
    replies: [posted],
    requests: ["POST /api/teams/activities"],
    bodies: [{ conversation_id: "19:a@thread.tacv2", text: "Go?", card_block: { type: "AdaptiveCard", body: [] }, success: false }],
  },
  {
    title: "sendTeamsMessage sends the text alone, and throws the sentence of the service",
    call: "sendTeamsMessage",
    args: [{ conversationId: "19:a@thread.tacv2", text: "Go?" }],
    replies: [notFound],
    requests: ["POST /api/teams/activities"],
    bodies: [{ conversation_id: "19:a@thread.tacv2", text: "Go?" }],
    error: refused,
  },
];
