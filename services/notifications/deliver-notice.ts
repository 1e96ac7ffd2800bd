import type { Functions } from "../../aws/lambda/functions.ts";
import { splitNotice } from "../../core/notifications/delivery.ts";
import type { GateNotice } from "../../core/notifications/notice.ts";
import type { ObjectKey } from "../../core/objects/keys.ts";
import { type DeliverDeps, deliverHeldPart, loadNotice, type QueueItem, toHeldItem, toQueuedPart, toWaitingItem } from "./deliver-part.ts";
import { findDeliveries } from "./delivery-records.ts";
import { findRecipients } from "./recipients.ts";

/** Sent where the notice is read; more of them, and what waits for strangers, in calls of their own. */
const SENT_HERE = 20;
/** Of one such call: even if each waits as long as it may, they are done within the call's time. */
export const PARTS_PER_CALL = 20;

type DeliverNoticeDeps = DeliverDeps & { functions: Pick<Functions, "deliver"> };

/**
 * Sends a notice that has just been written, each part of it once, however often the stream brings it: a part is queued before it is sent, at a
 * place that is always the same, and leaves the queue after its record is written. So it is sent at least once: who dies between sending it and
 * writing that down has it sent again when its hold is over.
 */
export async function deliverNotice(deps: DeliverNoticeDeps, key: ObjectKey): Promise<void> {
  const notice = await loadNotice(deps, key);
  if (!notice) return;
  const addresses = notice.channel === "email" ? await findRecipients(deps, notice) : [];
  const parts = splitNotice(notice, addresses);
  const here = parts.filter(({ channel }) => channel !== "webhook").slice(0, SENT_HERE);
  const now = deps.nowMs();
  const { items, expiresAtS } = await queued(
    deps,
    notice,
    here.map((part) => toHeldItem(toQueuedPart(notice, part), now)),
  );
  if (expiresAtS === undefined) return;
  await Promise.all(items.map((item) => deliverHeldPart(deps, item, { notice, expiresAtS })));
  const others = parts.filter((part) => !here.includes(part));
  for (let at = 0; at < others.length; at += PARTS_PER_CALL) {
    const waits = others.slice(at, at + PARTS_PER_CALL).map((part) => toWaitingItem(toQueuedPart(notice, part)));
    const due = (await queued(deps, notice, waits)).items.map(({ sk }) => sk);
    if (due.length > 0) await deps.functions.deliver({ due });
  }
}

/**
 * Puts parts into the queue, and answers those that were not sent before. Records are looked for after the put: whoever has sent a part has
 * written its record before it left the queue. Of a flow that is gone nothing stays there.
 */
async function queued(deps: DeliverDeps, notice: GateNotice, wanted: QueueItem[]) {
  const { objects } = deps;
  const put = await Promise.all(wanted.map(async (item) => ((await objects.put(item.stored, "absent")) ? [item] : [])));
  const ours = put.flat();
  const { records, expiresAtS } = await findDeliveries(deps, notice, ours);
  const known = ours.filter((_, index) => records[index] || expiresAtS === undefined);
  await Promise.all(known.map(({ pk, sk }) => objects.remove({ pk, sk })));
  return { items: ours.filter((item) => !known.includes(item)), expiresAtS };
}
