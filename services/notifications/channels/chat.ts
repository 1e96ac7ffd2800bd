import { v5 as uuidv5 } from "uuid";
import { RUN_OVER } from "../../../core/chats/chat-call.ts";
import { buildReminderContent } from "../../../core/chats/chat-content.ts";
import type { ChatMessage } from "../../../core/chats/chat-message.ts";
import { type Attempt, refusedAttempt } from "../../../core/deliveries/attempt.ts";
import { requestsDecision } from "../../../core/notifications/delivery.ts";
import type { GateNotice } from "../../../core/notifications/notice.ts";
import { findChatMessage } from "../../chats/messages.ts";
import { callForMessage, completeRequest, showDecision, showRequest } from "../../chats/post-message.ts";
import type { SendingPorts } from "../../deliveries/deliver-message.ts";
import { requestInChat } from "./request-in-chat.ts";
import type { GateNoticeSender } from "./sender.ts";

/** Posts requests for decisions into chats, answers them with reminders, and shows the outcome in each. */
export const chat: GateNoticeSender = {
  async sendGateNotice(deps, attempt) {
    const { notice, part } = attempt;
    if (part.message === undefined) return requestInChat(deps, attempt);
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

/** Answers the request in its thread. */
const remind = (deps: SendingPorts, notice: GateNotice, message: ChatMessage): Promise<Attempt> =>
  callForMessage(deps, message, (credential) =>
    deps.chats.post(
      credential,
      { channel: message.channel, server: message.server, thread: message.ts, key: uuidv5(notice.id, message.id) },
      buildReminderContent(notice),
    ),
  );
