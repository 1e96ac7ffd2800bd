import { actions } from "../../../contract/access/actions.ts";
import { pendingGateObject } from "../../../core/approvals/pending-gate.ts";
import { type ShownDecision, toShownDecision } from "../../../core/chats/chat-call.ts";
import type { ChatMessage } from "../../../core/chats/chat-message.ts";
import { toReference } from "../../../core/chats/chat-message.ts";
import { buildDecidedMessage, buildReminder, buildRequestMessage } from "../../../core/chats/slack/slack-message.ts";
import { type Attempt, refusedAttempt, sentAttempt } from "../../../core/deliveries/attempt.ts";
import { requestsDecision } from "../../../core/notifications/delivery.ts";
import type { GateNotice } from "../../../core/notifications/notice.ts";
import { noticeObject } from "../../../core/notifications/stored-notice.ts";
import { may } from "../../../core/permissions/may.ts";
import { loadGate } from "../../approvals/gates/change-gate.ts";
import { loadChatCredential } from "../../chats/load-credential.ts";
import { findChatMessage, storeChatMessage } from "../../chats/messages.ts";
import type { SendingPorts } from "../../deliveries/deliver-message.ts";
import { loadJobActor } from "../../identity/identify.ts";
import { loadNotice } from "../load-notice.ts";
import type { GateNoticeAttempt, GateNoticeSender } from "./sender.ts";

/** Posts requests for decisions into chats, answers them with reminders, and shows the outcome in each. */
export const chat: GateNoticeSender = {
  async sendGateNotice(deps, attempt) {
    const { notice, part } = attempt;
    if (part.message === undefined) return postRequest(deps, attempt);
    const message = await findChatMessage(deps, { flow: notice.flow, gate: notice.gate, id: part.message });
    if (!message) return refusedAttempt("the message is not known any more");
    return requestsDecision(notice) ? remind(deps, notice, message) : showOutcome(deps, notice, message);
  },
};

/**
 * Posts the request and stores its place. If the process dies in between, the next attempt posts a second message, because Slack has no key against
 * repetition; buttons of the first one then have no record and decide nothing.
 */
async function postRequest(deps: SendingPorts, { notice, flowHasEnded, attempts }: GateNoticeAttempt): Promise<Attempt> {
  const { workspace, gate, chat: place } = notice;
  if (!place) return refusedAttempt("the flow names no resource of a chat application");
  if (attempts > 1 && (flowHasEnded || !(await isWaiting(deps, notice))))
    return refusedAttempt("the flow is no longer waiting for this approval");
  const reference = { flow: notice.flow, gate, id: notice.id };
  // The attempt before may have died after it had stored the message.
  if (attempts > 1 && (await findChatMessage(deps, reference))) return sentAttempt;
  const flow = await deps.jobs.get(notice.flow);
  const owner = flow && (await loadJobActor(deps.objects, flow));
  if (!flow || !owner || !may(owner, actions.readResource.access, { workspace, path: place.resource }))
    return refusedAttempt(`the user whose rights the flow has may not read the resource ${place.resource}`);
  const credential = await loadChatCredential(deps, { workspace, path: place.resource });
  if (typeof credential === "string") return refusedAttempt(credential);
  const channel = place.channel ?? credential.default_channel;
  if (channel === undefined) return refusedAttempt("neither the flow nor the resource names a channel");
  const posted = await deps.slack.postMessage(credential, {
    channel,
    ...buildRequestMessage(deps.baseUrl, notice, { reference: toReference(reference) }),
  });
  if (!posted.ok) return posted;
  const message: ChatMessage = {
    ...reference,
    ...posted.value,
    workspace,
    resource: place.resource,
    notice: notice.id,
    atMs: deps.nowMs(),
  };
  await storeChatMessage(deps, message, Math.ceil(flow.expiresAtMs / 1000));
  // The notice of a decision that came before the record did not find the message.
  return (await isWaiting(deps, notice)) ? sentAttempt : showCurrentOutcome(deps, notice, message);
}

const isWaiting = async ({ objects }: SendingPorts, { workspace, gate }: GateNotice) =>
  (await objects.get(pendingGateObject.key(workspace, gate))) !== undefined;

/** Answers the request in its thread. */
async function remind(deps: SendingPorts, notice: GateNotice, { resource: path, channel, ts }: ChatMessage): Promise<Attempt> {
  const credential = await loadChatCredential(deps, { workspace: notice.workspace, path });
  if (typeof credential === "string") return refusedAttempt(credential);
  const answered = await deps.slack.postMessage(credential, { channel, thread: ts, ...buildReminder(notice) });
  return answered.ok ? sentAttempt : answered;
}

function showOutcome(deps: SendingPorts, notice: GateNotice, message: ChatMessage): Promise<Attempt> {
  const { decision, atMs } = notice;
  return updateMessage(deps, notice, message, { how: decision?.how ?? "expired", by: decision?.by, reason: decision?.reason, atMs });
}

async function showCurrentOutcome(deps: SendingPorts, notice: GateNotice, message: ChatMessage): Promise<Attempt> {
  const { decision } = (await loadGate(deps, notice.gate)) ?? {};
  if (!decision) return sentAttempt;
  return updateMessage(deps, notice, message, toShownDecision(decision));
}

async function updateMessage(deps: SendingPorts, notice: GateNotice, message: ChatMessage, decision: ShownDecision): Promise<Attempt> {
  const credential = await loadChatCredential(deps, { workspace: notice.workspace, path: message.resource });
  if (typeof credential === "string") return refusedAttempt(credential);
  // The outcome repeats no content. After the retention of the notice that asked, the message shows the outcome alone.
  const asked = await loadNotice(deps, noticeObject.key(notice.workspace, message.notice));
  const shown = asked && asked.kind !== "mail" && asked.kind !== "run" ? asked : notice;
  const updated = await deps.slack.updateMessage(credential, message, buildDecidedMessage(shown, decision));
  return updated.ok ? sentAttempt : updated;
}
