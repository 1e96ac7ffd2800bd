import type { ObjectTable } from "../../aws/object-table.ts";
import type { Queue } from "../../aws/queue.ts";
import { limits } from "../../contract/limits.ts";
import { hasEnded, type Job, listKey, SHARDS } from "../../core/jobs/job.ts";
import { canceled, firstDueMs, isLost, mayRetryLoss, workerLost } from "../../core/jobs/lifecycle.ts";
import { keys } from "../../core/objects/keys.ts";
import { send } from "./accept.ts";
import { eraseJob } from "./erase.ts";
import { endWith, type Finishing } from "./finish.ts";
import { jobPrefix } from "./places.ts";

export interface Housekeeping extends Finishing {
  queue: Queue;
  objects: ObjectTable;
}

/** How many due jobs one tick looks at in each shard; the next tick goes on. */
const DUE_PER_SHARD = 500;
const EXPIRED_PER_SHARD = 200;

export interface Housekept {
  sent: number;
  requeued: number;
  ended: number;
  waited: number;
  swept: number;
}

/**
 * Looks at every job that something must have happened to by now, and mends what did not: an unsent message is sent, a lost
 * attempt queued again or ended for good. Two ticks at once do nothing twice: each step is conditional on what was read.
 */
export async function housekeep(housekeeping: Housekeeping): Promise<Housekept> {
  const done: Housekept = { sent: 0, requeued: 0, ended: 0, waited: 0, swept: 0 };
  const now = housekeeping.nowMs();
  for (let shard = 0; shard < SHARDS; shard += 1) {
    for (const { id } of await housekeeping.jobs.due(shard, now, DUE_PER_SHARD)) {
      const job = await housekeeping.jobs.get(id);
      if (job) done[await mend(housekeeping, job, now)] += 1;
    }
  }
  done.swept = await sweep(housekeeping, now);
  return done;
}

async function mend(housekeeping: Housekeeping, job: Job, now: number): Promise<Exclude<keyof Housekept, "swept">> {
  const { jobs, queue } = housekeeping;
  if (hasEnded(job)) {
    if (job.erased || job.eraseAtMs !== undefined) {
      await eraseJob(housekeeping, job);
      return "ended";
    }
    await jobs.change(job.id, { duePartition: jobs.cleared.duePartition, dueAtMs: jobs.cleared.dueAtMs }, { attr: "state", eq: job.state });
    return "waited";
  }
  if (job.state === "queued") {
    // Its message may be on its way: sent again it runs the job once all the same.
    await send({ queue, nowMs: () => now }, job);
    await jobs.change(job.id, { dueAtMs: firstDueMs(now, job.scheduledForMs) }, { attr: "state", eq: "queued" });
    return "sent";
  }
  const same = { and: [{ attr: "state", eq: "running" } as const, { attr: "nonce", eq: job.nonce } as const] };
  if (!isLost(job, now)) {
    await jobs.change(job.id, { dueAtMs: job.leaseUntilMs + limits.leaseGraceMs + 1000 }, same);
    return "waited";
  }
  if (job.cancel) return (await endWith(housekeeping, job, canceled(job.cancel))) ? "ended" : "waited";
  if (!mayRetryLoss(job)) return (await endWith(housekeeping, job, workerLost(limits.maxAttempts))) ? "ended" : "waited";
  const { nonce, leaseUntilMs } = jobs.cleared;
  const requeued = await jobs.change(
    job.id,
    { state: "queued", nonce, leaseUntilMs, losses: jobs.oneMore, dueAtMs: firstDueMs(now) },
    same,
  );
  if (!requeued) return "waited";
  await queue.send(job.workspace, { job: job.id, ...(job.hash ? { hash: job.hash } : {}) });
  return "requeued";
}

/** Deletes jobs and events past their time. TTL does it on AWS too, but leaves their S3 objects, and does nothing on the local engine. */
async function sweep({ jobs, storage, objects }: Housekeeping, now: number): Promise<number> {
  let swept = 0;
  const until = listKey(now - limits.jobRetentionMs, "");
  for (const { sk: workspace } of await objects.list(keys.workspace("").pk)) {
    // Events are named by time, so the oldest stand first.
    for (const key of await objects.expired(keys.outbox(workspace, "").pk, EXPIRED_PER_SHARD)) await objects.remove(key);
    for (let shard = 0; shard < SHARDS; shard += 1) {
      const partition = `${workspace}#${shard}`;
      const { entries } = await jobs.list({ index: "list", partition, to: until, limit: EXPIRED_PER_SHARD, ascending: true });
      for (const { id } of entries) {
        const job = await jobs.get(id, { expired: true });
        if (!job || job.expiresAtMs > now) continue;
        await storage.removePrefix(jobPrefix(job));
        for (const child of await jobs.children(id, "")) if (child.ref !== "job") await jobs.deleteItem(id, child.ref);
        await jobs.deleteItem(id, "job");
        swept += 1;
      }
    }
  }
  return swept;
}
