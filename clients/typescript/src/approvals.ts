import { answerOf, call, jobVariable, ownJob, pathPart } from "./connection.ts";

/** The URLs of one approval. */
export interface ResumeUrls {
  /** For people: the approval page. Opening it does not decide. */
  approvalPage: string;
  /** Secret: `POST` to it approves, with any JSON as payload. */
  resume: string;
  /** Secret: `POST` to it rejects. */
  cancel: string;
}

/**
 * Creates the URLs that approve or reject the step that runs this code. Each call returns new URLs, and each counts once. The URLs are secrets that
 * allow their holder to decide: send the page to people and the other two only to programs.
 *
 * @param approver name of the approver, which the flow sees in `approvers`
 * @param flowLevel the URLs apply to the next step of the flow that requests approval, even before it does
 */
export async function getResumeUrls(approver?: string, flowLevel = false): Promise<ResumeUrls> {
  const [resumeId] = crypto.getRandomValues(new Uint32Array(1));
  const query = { approver, flow_level: flowLevel || undefined };
  return (await answerOf(await call("GET", `jobs/resume_urls/${pathPart(ownJob())}/${resumeId}`, { query }))) as ResumeUrls;
}

/** An alias with the older name. */
export async function getResumeEndpoints(approver?: string, flowLevel = false): Promise<ResumeUrls> {
  return await getResumeUrls(approver, flowLevel);
}

/** A request for an approval in a chat. */
export interface ChatApproval {
  /** The path of the resource of type `slack`, which the job must be allowed to read. */
  chatResourcePath: string;
  /** The id of the channel. Default: the default channel of the resource. */
  channelId?: string;
  /** A text for the approvers. */
  message?: string;
  /** The name of the approver, which the message shows. It does not limit who may decide. */
  approver?: string;
  /** The values with which the fields of the form begin. */
  defaultArgsJson?: Record<string, unknown>;
  /** The choices of fields of the form. */
  dynamicEnumsJson?: Record<string, unknown[]>;
  /** The labels of the buttons. */
  resumeButtonText?: string;
  cancelButtonText?: string;
}

/**
 * Posts a message whose buttons approve or reject the step that runs this code. The step must have the option `suspend`. Call it once for each
 * channel. A repeated call with the same resource and channel posts nothing, and a message that cannot be posted throws `ApiError`.
 */
export async function requestInteractiveChatApproval(options: ChatApproval): Promise<void> {
  const { chatResourcePath, channelId, message, approver, defaultArgsJson, dynamicEnumsJson, resumeButtonText, cancelButtonText } = options;
  const step = jobVariable("FLOW_STEP_ID");
  if (!step) throw new Error("This does not run in a step of a flow (WM_FLOW_STEP_ID is not set), so there is nothing to approve.");
  const query = {
    slack_resource_path: chatResourcePath,
    channel_id: channelId,
    flow_step_id: step,
    message,
    approver,
    default_args_json: defaultArgsJson && JSON.stringify(defaultArgsJson),
    dynamic_enums_json: dynamicEnumsJson && JSON.stringify(dynamicEnumsJson),
    resume_button_text: resumeButtonText,
    cancel_button_text: cancelButtonText,
  };
  await call("GET", `jobs/slack_approval/${pathPart(ownJob())}`, { query });
}

/** A request for an approval in Slack, with the older name of the resource. */
export interface SlackApproval extends Omit<ChatApproval, "chatResourcePath"> {
  slackResourcePath: string;
}

/** An alias with the older name. */
export async function requestInteractiveSlackApproval({ slackResourcePath, ...options }: SlackApproval): Promise<void> {
  await requestInteractiveChatApproval({ ...options, chatResourcePath: slackResourcePath });
}
