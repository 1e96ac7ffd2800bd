import { describeError, isSvcError } from "../../contract/errors.ts";
import { type ChatDecision, type ChatDecisionAnswer, chatUserKey, toShownDecision } from "../../core/chats/chat-call.ts";
import { type ChatMessage, parseReference } from "../../core/chats/chat-message.ts";
import { approvalPageUrl } from "../../core/notifications/event.ts";
import { loadApproverByEmail } from "../approvals/decisions/approver.ts";
import { type DecideDeps, decideRequest } from "../approvals/decisions/decide.ts";
import { loadGate } from "../approvals/gates/change-gate.ts";
import { findApprovalRequest } from "../approvals/gates/find-approval-request.ts";
import { findChatMessage } from "./messages.ts";

/**
 * Decides for a person in a chat. The message that was clicked must be the one that this service posted with the resource: a job that has its token
 * can post messages with any buttons. A person who can see the message counts like the holder of a link, under their name in the chat; the rules of the gate
 * decide about persons.
 */
export async function decideInChat(deps: DecideDeps, call: ChatDecision): Promise<ChatDecisionAnswer> {
  const { workspace, user, approved, reason } = call;
  const reference = parseReference(call.reference);
  const message = reference && (await findChatMessage(deps, reference));
  const isPosted =
    message?.workspace === workspace && message.resource === call.resource && message.channel === call.channel && message.ts === call.ts;
  if (!isPosted) return refuse("This message does not belong to an approval any more.");
  try {
    const request = await findApprovalRequest(deps, workspace, message.gate);
    const who = await loadApproverByEmail(deps, user.email, workspace);
    const from = { who, accessPath: { link: true, mayStop: false }, chat: { user: chatUserKey(user), name: user.name } };
    return { outcome: "counted", text: await decideRequest(deps, request, from, { approved, ...(reason ? { reason } : {}) }) };
  } catch (error) {
    if (!isSvcError(error)) throw error;
    const { sentence } = describeError(error);
    if (error.code === "approval.decided") return { ...refuse(sentence), ...(await findCorrection(deps, message)) };
    if (error.code === "approval.reasonRequired") return { ...refuse("A rejection of this request requires a reason."), needsReason: true };
    const needsPage = error.code === "approval.person" || error.code === "approval.form";
    const page = approvalPageUrl(deps.baseUrl, message);
    return refuse(needsPage ? `${sentence} Decide on the approval page: ${page}` : sentence);
  }
}

/** The notice of the decision has reached every message, or will. This repeats it for the message that shows otherwise. */
async function findCorrection({ jobs }: DecideDeps, { gate: id, shown: notice }: ChatMessage) {
  const gate = await loadGate({ jobs }, id);
  return gate?.decision ? { correction: { notice, decision: toShownDecision(gate.decision) } } : {};
}

const refuse = (text: string): ChatDecisionAnswer => ({ outcome: "refused", text });
