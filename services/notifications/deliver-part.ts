import type { JobTable } from "../../aws/dynamodb/job-table.ts";
import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { limits } from "../../contract/limits.ts";
import {
  buildPartName,
  isLastAttempt,
  type NoticePart,
  nextAttemptAtMs,
  type QueuedPart,
  queuedSchema,
  refusedAttempt,
  toDelivery,
} from "../../core/notifications/delivery.ts";
import { type GateNotice, gateNoticeSchema } from "../../core/notifications/notice.ts";
import { findWorkspace, keys, type ObjectKey } from "../../core/objects/keys.ts";
import { parseObject } from "../../core/objects/parse-object.ts";
import { type StoredObject, write } from "../../core/objects/write.ts";
import { attemptDelivery, type SendDeps } from "./attempt-delivery.ts";
import { findDeliveries, storeDelivery } from "./delivery-records.ts";

export interface DeliverDeps extends SendDeps {
  objects: ObjectTable;
  jobs: Pick<JobTable, "getWith" | "putChild">;
  nowMs: () => number;
}

/** Loads a notice; `undefined` if the notice or its workspace is gone, and nothing is to be sent. */
export async function loadNotice({ objects }: DeliverDeps, key: ObjectKey): Promise<GateNotice | undefined> {
  const [stored, deleted] = await objects.batchGet([key, keys.deletedWorkspace(findWorkspace(key.pk) ?? "")], { consistent: true });
  return stored && !deleted ? parseObject(gateNoticeSchema, stored) : undefined;
}

/** A part of a notice with its key in the queue. */
type PlacedPart = QueuedPart & ObjectKey;
export type QueueItem = PlacedPart & { stored: StoredObject };

/** Returns a part with its key in the queue before its first attempt. The key is always the same, so that a part is queued once. */
export function toQueuedPart({ workspace, id, atMs }: GateNotice, part: NoticePart): PlacedPart {
  return { ...part, workspace, notice: id, attempts: 0, ...keys.retry(atMs, workspace, id, buildPartName(part)) };
}

/**
 * Returns the queue item of a part that is due at the time in its key. The next change of the item must name the number of its attempts.
 */
export function toWaitingItem({ pk, sk, workspace, notice, channel, to, attempts, heldUntilMs }: PlacedPart): QueueItem {
  const value: QueuedPart = { workspace, notice, channel, to, attempts, ...(heldUntilMs === undefined ? {} : { heldUntilMs }) };
  const expiresAtS = Math.ceil((Number(sk.split("#")[0]) + limits.jobRetentionMs) / 1000);
  return { ...value, pk, sk, stored: { pk, sk, value, version: String(attempts), expiresAtS } };
}

/** Returns the queue item of a part whose next attempt is in progress: until the hold expires, no other process may take it. */
export function toHeldItem(item: PlacedPart, nowMs: number): QueueItem {
  return toWaitingItem({ ...item, attempts: item.attempts + 1, heldUntilMs: nowMs + limits.deliveryHoldMs });
}

/** Sends one part that waits in the queue, unless another process is sending it. `sk` is the part's key in the queue. */
export async function deliverDuePart(deps: DeliverDeps, sk: string): Promise<void> {
  const { objects, nowMs } = deps;
  const key = { ...keys.retry(0, "", "", ""), sk };
  const found = await objects.get(key);
  if (!found) return;
  const before: PlacedPart = { ...key, ...parseObject(queuedSchema, found) };
  if (before.heldUntilMs !== undefined && before.heldUntilMs > nowMs()) return;
  const item = toHeldItem(before, nowMs());
  if (!(await objects.put(item.stored, { version: String(before.attempts) }))) return;
  const notice = await loadNotice(deps, keys.notice(item.workspace, item.notice));
  if (!notice) return objects.deleteItem(key);
  const { records, expiresAtS } = await findDeliveries(deps, notice, [item]);
  // The sender died before it removed the part from the queue, or the run no longer exists.
  if (expiresAtS === undefined || (records[0] && records[0].state !== "retrying")) return objects.deleteItem(key);
  await deliverHeldPart(deps, item, { notice, expiresAtS });
}

/** The notice of a part, and when the delivery record expires together with the flow's job. */
interface Subject {
  notice: GateNotice;
  expiresAtS: number;
}

/**
 * Makes an attempt to send a held part. It stores the delivery record first, by which a repeated delivery is recognized, then changes the
 * queue.
 */
export async function deliverHeldPart(deps: DeliverDeps, item: QueueItem, { notice, expiresAtS }: Subject): Promise<void> {
  const { objects, nowMs } = deps;
  // The part has used all its attempts: the last one was lost with its sender.
  const tried = isLastAttempt(item.attempts - 1)
    ? refusedAttempt("the last delivery attempt was lost")
    : await attemptDelivery(deps, notice, item);
  const delivery = toDelivery(notice, item, tried, nowMs());
  await storeDelivery(deps, { flow: notice.flow, notice: notice.id, part: item, expiresAtS }, delivery);
  const key = { pk: item.pk, sk: item.sk };
  if (delivery.state !== "retrying") return objects.deleteItem(key);
  const { heldUntilMs: _, ...free } = item;
  const next = { ...free, ...keys.retry(nextAttemptAtMs(item.attempts, nowMs()), item.workspace, item.notice, buildPartName(item)) };
  await objects.transactWrite([write.remove(key, { version: String(item.attempts) }), write.put(toWaitingItem(next).stored)]);
}
