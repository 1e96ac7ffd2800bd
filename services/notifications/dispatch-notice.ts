import { receivesByAddress } from "../../contract/notices/channels.ts";
import type { DeliveryMessage } from "../../core/deliveries/message.ts";
import { requestsDecision, splitNotice } from "../../core/notifications/delivery.ts";
import type { GateNotice } from "../../core/notifications/notice.ts";
import type { ObjectKey } from "../../core/objects/write.ts";
import type { QueuedDelivery } from "../../ports/queues.ts";
import { listChatMessages } from "../chats/messages.ts";
import type { Uses } from "../uses.ts";
import { loadNotice } from "./load-notice.ts";
import { findRecipients, findStarter } from "./recipients.ts";

/**
 * Returns the messages for a new notice: one for each recipient, and none if its workspace is deleted. A repeated call returns messages for the same
 * deliveries, whose claims recognize them.
 */
export async function dispatchNotice(deps: Uses<"jobs" | "objects">, key: ObjectKey): Promise<QueuedDelivery[]> {
  const notice = await loadNotice(deps, key);
  if (!notice) return [];
  const { id, workspace } = notice;
  const queue = (message: DeliveryMessage): QueuedDelivery => ({ message, lane: "fast" });
  if (notice.kind === "mail") {
    const addresses = await findRecipients(deps, notice);
    return addresses.map((to) => queue({ kind: "mail", workspace, notice: id, to, after: 0 }));
  }
  if (notice.kind === "run") return [queue({ kind: "run", workspace, notice: id, after: 0 })];
  const [addresses, messages] = await Promise.all([
    findMailAddresses(deps, notice),
    hasMessages(notice) ? listChatMessages(deps, notice) : [],
  ]);
  return splitNotice(notice, { addresses, messages }).map((part) => queue({ kind: "notice", workspace, notice: id, ...part, after: 0 }));
}

/** Returns whether messages in chats can exist. Those that a step has asked for precede the notice that its gate has opened; one of the gate's own channel follows it. */
const hasMessages = ({ what, channel, inChat }: GateNotice) => (channel === "chat" ? what !== "opened" : inChat === true);

function findMailAddresses(deps: Uses<"objects">, notice: GateNotice): Promise<string[]> | string[] {
  if (!requestsDecision(notice)) return findStarter(deps, notice);
  return receivesByAddress(notice.channel) ? findRecipients(deps, notice) : [];
}
