import { describeError, type ErrorCode, isSvcError } from "../../contract/errors.ts";
import {
  type ChatAnswer,
  type ChatContentAnswer,
  type ChatContentRequest,
  type ChatDecision,
  type ChatFormRequest,
  type ChatRefusal,
  type ChatUse,
  chatUserKey,
  RUN_OVER,
  toShownDecision,
} from "../../core/chats/chat-call.ts";
import { buildDecidedContent, buildRequestContent, type ChatContent } from "../../core/chats/chat-content.ts";
import { type ChatMessage, parseReference, toReference } from "../../core/chats/chat-message.ts";
import { readValues, toFieldErrors } from "../../core/chats/form/read-values.ts";
import { approvalPageUrl } from "../../core/notifications/event.ts";
import { listApprovers } from "../../core/notifications/text.ts";
import { loadApproverByEmail } from "../approvals/decisions/approver.ts";
import { checkDecidable, type DecideDeps, decideRequest } from "../approvals/decisions/decide.ts";
import { loadGate } from "../approvals/gates/change-gate.ts";
import { findApprovalRequest } from "../approvals/gates/find-approval-request.ts";
import { findUserOfChat } from "../identity/chat-accounts/chat-accounts.ts";
import { loadChatForm } from "./load-form.ts";
import { findChatMessage } from "./messages.ts";
import { offerChatLink } from "./offer-chat-link.ts";

/**
 * Decides for a person in a chat, or returns the form of the step to a person who may decide. The message that was clicked must be the one that
 * this service posted with the resource: a job that has its token can post messages with any buttons. A person who can see the message counts like
 * the holder of a link, under their name in the chat; the rules of the gate decide about persons.
 */
export async function decideInChat(deps: DecideDeps, call: ChatDecision | ChatFormRequest): Promise<ChatAnswer> {
  const message = await findClickedMessage(deps, call);
  if (!message) return refuse(UNKNOWN);
  try {
    return await answerCall(deps, call, message);
  } catch (error) {
    if (!isSvcError(error)) throw error;
    const offer = call.kind === "chatDecision" ? await offerChatLink(deps, call, error.code) : "";
    return explain(deps, message, error.code, `${describeError(error).sentence}${offer}`);
  }
}

const UNKNOWN = "This message does not belong to an approval any more.";

/** Returns the present content of a message, which everyone who sees the message may read. */
export async function showInChat(deps: DecideDeps, call: ChatContentRequest): Promise<ChatContentAnswer> {
  const message = await findClickedMessage(deps, call);
  return message ? { outcome: "content", content: await describeMessage(deps, message) } : refuse(UNKNOWN);
}

async function findClickedMessage(deps: DecideDeps, call: ChatUse): Promise<ChatMessage | undefined> {
  const reference = parseReference(call.reference);
  const message = reference && (await findChatMessage(deps, reference));
  const isPosted =
    message?.workspace === call.workspace &&
    message.resource === call.resource &&
    message.channel === call.channel &&
    message.ts === call.ts;
  return isPosted ? message : undefined;
}

async function describeMessage(deps: DecideDeps, message: ChatMessage): Promise<ChatContent> {
  const decision = (await loadGate(deps, message.gate))?.decision;
  if (decision) return buildDecidedContent(message.shown, toShownDecision(decision));
  return buildRequestContent(deps.baseUrl, message.shown, toReference(message), message.buttons ?? {});
}

async function answerCall(deps: DecideDeps, call: ChatDecision | ChatFormRequest, message: ChatMessage): Promise<ChatAnswer> {
  const { workspace, user } = call;
  const request = await findApprovalRequest(deps, workspace, message.gate);
  const who = await loadApproverByEmail(deps, (await findUserOfChat(deps, user)).email, workspace);
  const from = { who, accessPath: { by: "chat" as const, mayStop: false }, chat: { user: chatUserKey(user), name: user.name } };
  const decide = async (input: { approved: boolean; payload?: unknown; reason?: string }): Promise<ChatAnswer> => ({
    outcome: "counted",
    text: await decideRequest(deps, request, from, input),
  });
  if (call.kind === "chatDecision" && !call.approved)
    return decide({ approved: false, ...(call.reason?.trim() ? { reason: call.reason } : {}) });

  const form = await loadChatForm(deps, request, message);
  if (form === undefined) return call.kind === "chatDecision" ? decide({ approved: true }) : refuse("This step has no form.");
  await checkDecidable(deps, request, from);
  if (typeof form === "string") return refuse(`The form does not fit into the chat, because ${form}. ${linkPage(deps, message)}`);
  if (call.kind === "chatForm" || call.inputs === undefined) return { outcome: "form", form };
  const read = readValues(form.fields, call.inputs);
  if ("errors" in read) return { ...refuse(INVALID), fieldErrors: read.errors };
  try {
    return await decide({ approved: true, payload: read.values });
  } catch (error) {
    if (!isSvcError(error)) throw error;
    if (error.code === "approval.form") return { ...refuse(INVALID), fieldErrors: toFieldErrors(form.fields, error.details.issues) };
    if (error.code !== "body.tooLarge") throw error;
    return { ...refuse(INVALID), fieldErrors: toFieldErrors(form.fields, [{ reason: "is too large. Use less text or smaller files" }]) };
  }
}

const INVALID = "Some values of the form are invalid.";
const linkPage = ({ baseUrl }: DecideDeps, message: ChatMessage) => `Decide on the approval page: ${approvalPageUrl(baseUrl, message)}`;

/** Returns what the person reads about an error. */
async function explain(deps: DecideDeps, message: ChatMessage, code: ErrorCode, sentence: string): Promise<ChatRefusal> {
  switch (code) {
    case "approval.decided":
      return { ...refuse(sentence), ...(await findCorrection(deps, message)) };
    case "approval.over":
      return { ...refuse(sentence), correction: { notice: message.shown, decision: { how: RUN_OVER, atMs: deps.nowMs() } } };
    case "approval.reasonRequired":
      return { ...refuse("A rejection of this request requires a reason."), needsReason: true };
    case "approval.refused":
      return refuse(`${sentence}${await describeApprovers(deps, message)}`);
    case "approval.person":
    case "approval.form":
      return refuse(`${sentence} ${linkPage(deps, message)}`);
    default:
      return refuse(sentence);
  }
}

/** Returns a sentence about the people who may decide, if the gate names them. The message names them too, and may be far above. */
async function describeApprovers({ jobs }: DecideDeps, { gate: id }: ChatMessage): Promise<string> {
  const people = (await loadGate({ jobs }, id))?.opened?.rules.people ?? [];
  return people.length === 0 ? "" : ` Only ${listApprovers(people)} may decide.`;
}

/** The notice of the decision has reached every message, or will. This repeats it for the message that shows otherwise. */
async function findCorrection({ jobs }: DecideDeps, { gate: id, shown: notice }: ChatMessage) {
  const gate = await loadGate({ jobs }, id);
  return gate?.decision ? { correction: { notice, decision: toShownDecision(gate.decision) } } : {};
}

const refuse = (text: string): ChatRefusal => ({ outcome: "refused", text });
