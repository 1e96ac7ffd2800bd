import { v5 as uuidv5 } from "uuid";
import { actions } from "../../../contract/access/actions.ts";
import { RUN_OVER } from "../../../core/chats/chat-call.ts";
import { buildReminderContent } from "../../../core/chats/chat-content.ts";
import type { ChatMessage } from "../../../core/chats/chat-message.ts";
import { type Attempt, refusedAttempt } from "../../../core/deliveries/attempt.ts";
import { requestsDecision } from "../../../core/notifications/delivery.ts";
import type { GateNotice } from "../../../core/notifications/notice.ts";
import { may } from "../../../core/permissions/may.ts";
import { findChatMessage } from "../../chats/messages.ts";
import { callForMessage, completeRequest, isWaiting, postMessage, showDecision, showRequest } from "../../chats/post-message.ts";
import type { SendingPorts } from "../../deliveries/deliver-message.ts";
import { loadJobActor } from "../../identity/identify.ts";
import type { GateNoticeAttempt, GateNoticeSender } from "./sender.ts";

/** Posts requests for decisions into chats, answers them with reminders, and shows the outcome in each. */
export const chat: GateNoticeSender = {
  async sendGateNotice(deps, attempt) {
    const { notice, part } = attempt;
    if (part.message === undefined) return postRequest(deps, attempt);
    const message = await findChatMessage(deps, { flow: notice.flow, gate: notice.gate, id: part.message });
    if (!message) return refusedAttempt("the message is not known any more");
    if (notice.what === "opened") return completeRequest(deps, message, notice);
    if (requestsDecision(notice)) return remind(deps, notice, message);
    if (notice.what === "ended") return showDecision(deps, message, { how: RUN_OVER, atMs: notice.atMs });
    if (notice.what === "counted") return showRequest(deps, message);
    const { decision, atMs } = notice;
    return showDecision(deps, message, { how: decision?.how ?? "expired", by: decision?.by, reason: decision?.reason, atMs });
  },
};

async function postRequest(deps: SendingPorts, { notice, flowHasEnded, attempts }: GateNoticeAttempt): Promise<Attempt> {
  const { workspace, chat: target } = notice;
  if (!target) return refusedAttempt("the flow names no resource of a chat application");
  if (attempts > 1 && (flowHasEnded || !(await isWaiting(deps, notice))))
    return refusedAttempt("the flow is no longer waiting for this approval");
  const flow = await deps.jobs.get(notice.flow);
  const owner = flow && (await loadJobActor(deps.objects, flow));
  if (!flow || !owner || !may(owner, actions.readResource.access, { workspace, path: target.resource }))
    return refusedAttempt(`the user whose rights the flow has may not read the resource ${target.resource}`);
  return postMessage(deps, { id: notice.id, flow, ...target, request: notice });
}

/** Answers the request in its thread. */
const remind = (deps: SendingPorts, notice: GateNotice, message: ChatMessage): Promise<Attempt> =>
  callForMessage(deps, message, (credential) =>
    deps.chats.post(
      credential,
      { channel: message.channel, server: message.server, thread: message.ts, key: uuidv5(notice.id, message.id) },
      buildReminderContent(notice),
    ),
  );
