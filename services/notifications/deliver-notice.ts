import type { Functions } from "../../aws/lambda/functions.ts";
import { splitNotice } from "../../core/notifications/delivery.ts";
import type { GateNotice } from "../../core/notifications/notice.ts";
import type { ObjectKey } from "../../core/objects/keys.ts";
import { type DeliverDeps, deliverHeldPart, loadNotice, type QueueItem, toHeldItem, toQueuedPart, toWaitingItem } from "./deliver-part.ts";
import { findDeliveries } from "./delivery-records.ts";
import { findRecipients } from "./recipients.ts";

/** This many parts are sent by the process that reads the notice. Further parts, and webhooks, are sent in separate calls. */
const MAX_SENT_DIRECTLY = 20;
/** The number of parts in one call: even if each takes its full timeout, they finish within the timeout of the function. */
export const PARTS_PER_CALL = 20;

type DeliverNoticeDeps = DeliverDeps & { functions: Pick<Functions, "startDelivery"> };

/**
 * Sends a new notice, each part at least once, even if the stream delivers the notice repeatedly. A part is queued before it is sent,
 * always under the same key, and leaves the queue after its delivery record is stored. If the sender dies between sending and recording,
 * the part is sent again after its hold expires.
 */
export async function deliverNotice(deps: DeliverNoticeDeps, key: ObjectKey): Promise<void> {
  const notice = await loadNotice(deps, key);
  if (!notice) return;
  const addresses = notice.channel === "email" ? await findRecipients(deps, notice) : [];
  const parts = splitNotice(notice, addresses);
  const here = parts.filter(({ channel }) => channel !== "webhook").slice(0, MAX_SENT_DIRECTLY);
  const now = deps.nowMs();
  const { items, expiresAtS } = await queueParts(
    deps,
    notice,
    here.map((part) => toHeldItem(toQueuedPart(notice, part), now)),
  );
  if (expiresAtS === undefined) return;
  await Promise.all(items.map((item) => deliverHeldPart(deps, item, { notice, expiresAtS })));
  const others = parts.filter((part) => !here.includes(part));
  for (let at = 0; at < others.length; at += PARTS_PER_CALL) {
    const waits = others.slice(at, at + PARTS_PER_CALL).map((part) => toWaitingItem(toQueuedPart(notice, part)));
    const due = (await queueParts(deps, notice, waits)).items.map(({ sk }) => sk);
    if (due.length > 0) await deps.functions.startDelivery({ due });
  }
}

/**
 * Queues parts and returns those that were not sent before. Delivery records are read after the writes, because a sender stores the record
 * before it removes the part from the queue. The parts of a flow that is gone are removed again.
 */
async function queueParts(deps: DeliverDeps, notice: GateNotice, wanted: QueueItem[]) {
  const { objects } = deps;
  const put = await Promise.all(wanted.map(async (item) => ((await objects.put(item.stored, "absent")) ? [item] : [])));
  const ours = put.flat();
  const { records, expiresAtS } = await findDeliveries(deps, notice, ours);
  const known = ours.filter((_, index) => records[index] || expiresAtS === undefined);
  await Promise.all(known.map(({ pk, sk }) => objects.deleteItem({ pk, sk })));
  return { items: ours.filter((item) => !known.includes(item)), expiresAtS };
}
