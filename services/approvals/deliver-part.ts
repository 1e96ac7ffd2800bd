import type { JobTable } from "../../aws/job-table.ts";
import type { ObjectTable } from "../../aws/object-table.ts";
import { limits } from "../../contract/limits.ts";
import { type GateNotice, gateNoticeSchema } from "../../core/approvals/notice.ts";
import { againAtMs, deliveryOf, isLastAttempt, nthOf, type Queued, queuedSchema, refused } from "../../core/approvals/notice-delivery.ts";
import { keys, type ObjectKey } from "../../core/objects/keys.ts";
import { type StoredObject, write } from "../../core/objects/write.ts";
import { loadAccess } from "../workspaces/access.ts";
import { attempt, type Sending } from "./deliver-attempt.ts";
import { keepDelivery, readDelivery } from "./deliveries.ts";

export interface Delivering extends Sending {
  objects: ObjectTable;
  jobs: Pick<JobTable, "get" | "getChild" | "putChild">;
  nowMs: () => number;
}

/** What a part is about: its notice, and how long the flow's job, with which its record goes, is kept. */
export interface Subject {
  notice: GateNotice;
  expiresAtS: number;
}

/** `undefined`: the notice, its run or its workspace is gone, and nobody is told of it any more. */
export async function subjectOf({ objects, jobs }: Delivering, workspace: string, id: string): Promise<Subject | undefined> {
  const [stored, { access }] = await Promise.all([objects.get(keys.notice(workspace, id)), loadAccess(objects, workspace)]);
  if (!stored || access.state === "deleted") return undefined;
  const notice = gateNoticeSchema.parse(stored.value);
  const job = await jobs.get(notice.flow);
  return job && { notice, expiresAtS: Math.ceil(job.expiresAtMs / 1000) };
}

/** As it waits for its time. */
export function queuedItem({ pk, sk }: ObjectKey, { workspace, notice, channel, to, attempts }: Queued): StoredObject {
  const value: Queued = { workspace, notice, channel, to, attempts };
  return { pk, sk, value, expiresAtS: Math.ceil((Number(sk.split("#")[0]) + limits.jobRetentionMs) / 1000) };
}

/** Sends one part that waits in the queue, unless somebody else does. `sk`: where it stands there. */
export async function deliverDue(delivering: Delivering, sk: string): Promise<void> {
  const item = await claim(delivering, { ...keys.retry(0, "", "", ""), sk });
  if (!item) return;
  const subject = await subjectOf(delivering, item.workspace, item.notice);
  if (!subject) return delivering.objects.remove(item);
  const known = await readDelivery(delivering, subject.notice.flow, item.notice, nthOf(item));
  // Its sender died before it could take it out of the queue.
  if (known && known.delivery.state !== "retrying") return delivering.objects.remove(item);
  await carryOut(delivering, item, subject);
}

/**
 * Who moves a part to the time of its next attempt has it until then: the move is claim, lease and retry in one, and a part whose sender dies
 * is found there like one that failed.
 */
async function claim({ objects, nowMs }: Delivering, key: ObjectKey): Promise<(Queued & ObjectKey) | undefined> {
  const found = await objects.get(key);
  if (!found) return undefined;
  const item = queuedSchema.parse(found.value);
  const attempts = item.attempts + 1;
  const next = { ...item, attempts, ...keys.retry(againAtMs(attempts, nowMs()), item.workspace, item.notice, nthOf(item)) };
  const lost = await objects.transact([write.remove(key, "present"), write.put(queuedItem(next, next))]);
  return lost === undefined ? next : undefined;
}

/** Makes an attempt that is claimed, and writes down what came of it. */
export async function carryOut(delivering: Delivering, item: Queued & ObjectKey, { notice, expiresAtS }: Subject): Promise<void> {
  // One more than there are: the last attempt was lost with its sender.
  const tried = isLastAttempt(item.attempts - 1) ? refused("its last attempt was lost") : await attempt(delivering, notice, item);
  const delivery = deliveryOf(notice, item, tried, delivering.nowMs());
  await keepDelivery(delivering, { flow: notice.flow, notice: notice.id, part: item, expiresAtS }, delivery);
  if (delivery.state !== "retrying") await delivering.objects.remove({ pk: item.pk, sk: item.sk });
}
