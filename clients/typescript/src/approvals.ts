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

/** The content of a request for an approval in a chat. */
interface ApprovalContent {
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

/** A request for an approval in Slack or in Discord. */
export interface ChatApproval extends ApprovalContent {
  /** The path of the resource of type `slack` or `discord`, which the job must be allowed to read. */
  chatResourcePath: string;
  /** The id of the channel. Default: the default channel of the resource. */
  channelId?: string;
}

/** Returns the job that runs this code, and the fields of a request for the approval of its step. */
function describeRequest(content: ApprovalContent) {
  const { message, approver, defaultArgsJson, dynamicEnumsJson, resumeButtonText, cancelButtonText } = content;
  const step = jobVariable("FLOW_STEP_ID");
  if (!step) throw new Error("This does not run in a step of a flow (WM_FLOW_STEP_ID is not set), so there is nothing to approve.");
  const fields = {
    flow_step_id: step,
    message,
    approver,
    default_args_json: defaultArgsJson && JSON.stringify(defaultArgsJson),
    dynamic_enums_json: dynamicEnumsJson && JSON.stringify(dynamicEnumsJson),
    resume_button_text: resumeButtonText,
    cancel_button_text: cancelButtonText,
  };
  return { job: pathPart(ownJob()), fields };
}

/**
 * Posts a message to Slack whose buttons approve or reject the step that runs this code. The step must have the option `suspend`. Call it once for each
 * channel. A repeated call with the same resource and channel posts nothing, and a message that cannot be posted throws `ApiError`.
 */
export async function requestInteractiveChatApproval({ chatResourcePath, channelId, ...content }: ChatApproval): Promise<void> {
  const { job, fields } = describeRequest(content);
  await call("GET", `jobs/slack_approval/${job}`, {
    query: { slack_resource_path: chatResourcePath, channel_id: channelId, ...fields },
  });
}

/** A request for an approval in Slack, with the older name of the resource. */
export interface SlackApproval extends Omit<ChatApproval, "chatResourcePath"> {
  slackResourcePath: string;
}

/** An alias with the older name. */
export async function requestInteractiveSlackApproval({ slackResourcePath, ...options }: SlackApproval): Promise<void> {
  await requestInteractiveChatApproval({ ...options, chatResourcePath: slackResourcePath });
}

/** Posts a message to Discord, in the same way as `requestInteractiveChatApproval`. */
export async function requestInteractiveDiscordApproval({ chatResourcePath, channelId, ...content }: ChatApproval): Promise<void> {
  const { job, fields } = describeRequest(content);
  await call("POST", `jobs/discord_approval/${job}`, {
    json: { discord_resource_path: chatResourcePath, channel_id: channelId || undefined, ...fields },
  });
}

/** A request for an approval in Microsoft Teams. */
export interface CollabApproval extends ApprovalContent {
  /** The names of the team and of its channel, among those in which the bot is installed. */
  teamName: string;
  channelName: string;
  /** The path of the resource of the bot, if the workspace has several. */
  chatResourcePath?: string;
}

/** Posts a message to Microsoft Teams, in the same way as `requestInteractiveChatApproval`. */
export async function requestInteractiveCollabApproval(options: CollabApproval): Promise<void> {
  const { teamName, channelName, chatResourcePath, ...content } = options;
  const { job, fields } = describeRequest(content);
  await call("GET", `jobs/teams_approval/${job}`, {
    query: { team_name: teamName, channel_name: channelName, chat_resource_path: chatResourcePath, ...fields },
  });
}

/** An alias with the older name. */
export async function requestInteractiveTeamsApproval(options: CollabApproval): Promise<void> {
  await requestInteractiveCollabApproval(options);
}

/** A message to a conversation in Microsoft Teams. */
export interface TeamsMessage {
  /** The id of a conversation of the workspace's bot. */
  conversationId: string;
  text: string;
  /** An adaptive card below the text. */
  cardBlock?: Record<string, unknown>;
  /** Whether the message reports a success. */
  success?: boolean;
}

/** Sends a message to a conversation in Microsoft Teams. A step that waits for an approval adds a link to its approval page. */
export async function sendTeamsMessage({ conversationId, text, cardBlock, success }: TeamsMessage): Promise<void> {
  await call("POST", "/api/teams/activities", { json: { conversation_id: conversationId, text, card_block: cardBlock, success } });
}
