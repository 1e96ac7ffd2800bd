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
import { type StoredObject, write } from "../../core/objects/write.ts";
import { attemptDelivery, type SendDeps } from "./attempt-delivery.ts";
import { findDeliveries, storeDelivery } from "./delivery-records.ts";

export interface DeliverDeps extends SendDeps {
  objects: ObjectTable;
  jobs: Pick<JobTable, "getWith" | "putChild">;
  nowMs: () => number;
}

/** `undefined`: the notice or its workspace is gone, and nobody is told of it any more. */
export async function loadNotice({ objects }: DeliverDeps, key: ObjectKey): Promise<GateNotice | undefined> {
  const [stored, deleted] = await objects.getMany([key, keys.deletedWorkspace(findWorkspace(key.pk) ?? "")], { consistent: true });
  return stored && !deleted ? gateNoticeSchema.parse(stored.value) : undefined;
}

/** A part in the queue, at its place there. */
type Placed = QueuedPart & ObjectKey;
export type QueueItem = Placed & { stored: StoredObject };

/** Where a part stands before its first attempt: the same whenever it is asked for, so that it is queued once. */
export function toQueuedPart({ workspace, id, atMs }: GateNotice, part: NoticePart): Placed {
  return { ...part, workspace, notice: id, attempts: 0, ...keys.retry(atMs, workspace, id, buildPartName(part)) };
}

/** It may be taken up from the time on at which it stands. The count of its attempts is what the next one to change it must name. */
export function toWaitingItem({ pk, sk, workspace, notice, channel, to, attempts, heldUntilMs }: Placed): QueueItem {
  const value: QueuedPart = { workspace, notice, channel, to, attempts, ...(heldUntilMs === undefined ? {} : { heldUntilMs }) };
  const expiresAtS = Math.ceil((Number(sk.split("#")[0]) + limits.jobRetentionMs) / 1000);
  return { ...value, pk, sk, stored: { pk, sk, value, version: String(attempts), expiresAtS } };
}

/** Its next attempt is somebody's, and nobody else's until it must be lost. */
export function toHeldItem(item: Placed, nowMs: number): QueueItem {
  return toWaitingItem({ ...item, attempts: item.attempts + 1, heldUntilMs: nowMs + limits.deliveryHoldMs });
}

/** Sends one part that waits in the queue, unless somebody else does. `sk`: where it stands there. */
export async function deliverDuePart(deps: DeliverDeps, sk: string): Promise<void> {
  const { objects, nowMs } = deps;
  const key = { ...keys.retry(0, "", "", ""), sk };
  const found = await objects.get(key);
  if (!found) return;
  const before: Placed = { ...key, ...queuedSchema.parse(found.value) };
  if (before.heldUntilMs !== undefined && before.heldUntilMs > nowMs()) return;
  const item = toHeldItem(before, nowMs());
  if (!(await objects.put(item.stored, { version: String(before.attempts) }))) return;
  const notice = await loadNotice(deps, keys.notice(item.workspace, item.notice));
  if (!notice) return objects.remove(key);
  const { records, expiresAtS } = await findDeliveries(deps, notice, [item]);
  // Its sender died before it could take it out of the queue; or there is no run any more.
  if (expiresAtS === undefined || (records[0] && records[0].state !== "retrying")) return objects.remove(key);
  await deliverHeldPart(deps, item, { notice, expiresAtS });
}

/** What a part is about: its notice, and how long the flow's job, with which its record goes, is kept. */
interface Subject {
  notice: GateNotice;
  expiresAtS: number;
}

/** Makes an attempt that is held, and writes down what came of it: first the record, by which it is known again, then its place in the queue. */
export async function deliverHeldPart(deps: DeliverDeps, item: QueueItem, { notice, expiresAtS }: Subject): Promise<void> {
  const { objects, nowMs } = deps;
  // One more than there are: the last attempt was lost with its sender.
  const tried = isLastAttempt(item.attempts - 1)
    ? refusedAttempt("the last delivery attempt was lost")
    : await attemptDelivery(deps, notice, item);
  const delivery = toDelivery(notice, item, tried, nowMs());
  await storeDelivery(deps, { flow: notice.flow, notice: notice.id, part: item, expiresAtS }, delivery);
  const key = { pk: item.pk, sk: item.sk };
  if (delivery.state !== "retrying") return objects.remove(key);
  const { heldUntilMs: _, ...free } = item;
  const next = { ...free, ...keys.retry(nextAttemptAtMs(item.attempts, nowMs()), item.workspace, item.notice, buildPartName(item)) };
  await objects.transact([write.remove(key, { version: String(item.attempts) }), write.put(toWaitingItem(next).stored)]);
}
