import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import type { Functions } from "../../aws/lambda/functions.ts";
import { isSvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { hasEnded, type Job, listKey, SHARDS } from "../../core/jobs/job.ts";
import { canceled, firstDueMs, isLost, mayRetryLoss, workerLost } from "../../core/jobs/lifecycle.ts";
import { keys } from "../../core/objects/keys.ts";
import { type SignHeadsDeps, signHeads } from "../approvals/audit-log/sign-heads.ts";
import type { GateDeps } from "../approvals/gates/change-gate.ts";
import { type IdleMachineDeps, removeIdleMachines } from "../flows/definitions/delete-idle-machines.ts";
import { type FinishFlowDeps, reconcileFlow } from "../flows/lifecycle/finish.ts";
import { type CancelJobDeps, cancelJob } from "../jobs/cancel/cancel.ts";
import { isGroup, mendGroup, releaseSlot } from "../jobs/concurrency/concurrency.ts";
import { eraseDue } from "../jobs/erasure/erase-due.ts";
import { type RemoveJobDeps, removeJob } from "../jobs/erasure/remove-job.ts";
import { endWith } from "../jobs/lifecycle/finish.ts";
import { send } from "../jobs/queue/enqueue.ts";
import { deliverAgain } from "../notifications/retry-due.ts";
import { allWorkspaces } from "../workspaces/workspaces.ts";
import { type PurgeDeps, purgeDeleted } from "./purge-workspaces.ts";

export type TickDeps = FinishFlowDeps &
  GateDeps &
  CancelJobDeps &
  RemoveJobDeps & { objects: ObjectTable; functions: Pick<Functions, "deliver"> };

/** How many due jobs one tick looks at in each shard; the next tick goes on. */
const DUE_PER_SHARD = 500;
const EXPIRED_PER_SHARD = 200;
/** A job that waits for a slot is told by who frees one, and its group is looked at: this is for when both were lost. */
const LIMITED_AGAIN_MS = 300_000;

export interface TickResult {
  sent: number;
  requeued: number;
  ended: number;
  waited: number;
  swept: number;
  /** Deleted workspaces that are gone for good. */
  purged: number;
  /** Parts of notices that were due. */
  notices: number;
  /** State machines that were deleted because nothing runs them. */
  idle: number;
  /** Days of the record of approvals that were signed. */
  anchored: number;
}

/**
 * Looks at every job that something must have happened to by now, and mends what did not: an unsent message is sent, a lost
 * attempt queued again or ended for good. Then it removes what deleted workspaces stored and idle state machines, and signs the record of approvals, until `untilMs`. Two ticks at once do nothing
 * twice: each step is conditional on what was read.
 */
export async function tick(deps: TickDeps & PurgeDeps & IdleMachineDeps & SignHeadsDeps, untilMs: number): Promise<TickResult> {
  const done: TickResult = { sent: 0, requeued: 0, ended: 0, waited: 0, swept: 0, purged: 0, notices: 0, idle: 0, anchored: 0 };
  const now = deps.nowMs();
  const workspaces = await allWorkspaces(deps);
  const inUse = new Set(workspaces.filter(({ deleted }) => !deleted).map(({ id }) => id));
  for (let shard = 0; shard < SHARDS; shard += 1) {
    for (const { id } of await deps.jobs.due(shard, now, DUE_PER_SHARD)) {
      if (isGroup(id)) {
        await mendGroup(deps, id);
        done.waited += 1;
        continue;
      }
      const job = await deps.jobs.get(id);
      if (!job) continue;
      done[hasEnded(job) || job.cancel || inUse.has(job.workspace) ? await mend(deps, job, now) : await stop(deps, job)] += 1;
    }
  }
  done.notices = await deliverAgain(deps);
  done.swept = await sweep(
    deps,
    workspaces.map(({ id }) => id),
    now,
  );
  done.purged = await purgeDeleted(deps, untilMs);
  done.idle = await removeIdleMachines(deps, untilMs);
  done.anchored = await signHeads(deps, inUse, untilMs);
  return done;
}

/** Whatever still waits or runs in a workspace that is archived or gone was accepted just before. */
async function stop(deps: TickDeps, job: Job): Promise<"ended" | "waited"> {
  try {
    await cancelJob(deps, job, { by: "svc", reason: "the workspace is archived" });
    return "ended";
  } catch (error) {
    if (!isSvcError(error) || !error.code.startsWith("job.")) throw error;
    return "waited";
  }
}

async function mend(
  deps: TickDeps,
  job: Job,
  now: number,
): Promise<Exclude<keyof TickResult, "swept" | "purged" | "notices" | "idle" | "anchored">> {
  const { jobs, queue } = deps;
  if (hasEnded(job)) {
    return eraseDue(deps, job);
  }
  if (job.state === "queued") {
    // Its message may be on its way: sent again it runs the job once all the same.
    await send({ queue, nowMs: () => now }, job);
    const nextMs = job.concurrency && (job.scheduledForMs ?? 0) <= now ? now + LIMITED_AGAIN_MS : firstDueMs(now, job.scheduledForMs);
    await jobs.change(job.id, { dueAtMs: nextMs }, { attr: "state", eq: "queued" });
    return "sent";
  }
  if (job.flow?.plan) return reconcileFlow(deps, job);
  const same = { and: [{ attr: "state", eq: "running" } as const, { attr: "nonce", eq: job.nonce } as const] };
  if (!isLost(job, now)) {
    await jobs.change(job.id, { dueAtMs: job.leaseUntilMs + limits.leaseGraceMs + 1000 }, same);
    return "waited";
  }
  if (job.cancel || !mayRetryLoss(job)) {
    const ended = await endWith(deps, job, job.cancel ? canceled(job.cancel) : workerLost(limits.maxAttempts));
    if (ended) await releaseSlot(deps, ended);
    return ended ? "ended" : "waited";
  }
  const { nonce, leaseUntilMs } = jobs.cleared;
  const requeued = await jobs.change(
    job.id,
    { state: "queued", nonce, leaseUntilMs, losses: jobs.oneMore, dueAtMs: firstDueMs(now) },
    same,
  );
  if (!requeued) return "waited";
  await queue.send(requeued);
  return "requeued";
}

/** Deletes jobs and events past their time. TTL does it on AWS too, but leaves their S3 objects, and does nothing on the local engine. */
async function sweep({ jobs, storage, objects, jobData }: TickDeps, workspaces: readonly string[], now: number): Promise<number> {
  let swept = 0;
  const until = listKey(now - limits.jobRetentionMs, "");
  for (const workspace of workspaces) {
    // Events are named by time, so the oldest stand first.
    for (const key of await objects.expired(keys.outbox(workspace, "").pk, EXPIRED_PER_SHARD)) await objects.remove(key);
    for (let shard = 0; shard < SHARDS; shard += 1) {
      const partition = `${workspace}#${shard}`;
      const { entries } = await jobs.list({ index: "list", partition, to: until, limit: EXPIRED_PER_SHARD, ascending: true });
      for (const { id } of entries) {
        const job = await jobs.get(id, { expired: true });
        if (!job || job.expiresAtMs > now) continue;
        await removeJob({ jobs, storage, jobData }, job);
        swept += 1;
      }
    }
  }
  return swept;
}
