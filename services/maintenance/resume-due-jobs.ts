import { isSvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { hasEnded, type Job, type RunningJob, SHARDS } from "../../core/jobs/job.ts";
import { canceledEnding, firstDueMs, isLost, mayRetryLoss, workerLostEnding } from "../../core/jobs/lifecycle.ts";
import type { GateDeps } from "../approvals/gates/change-gate.ts";
import { endJobAndNotify, type JobEndedDeps } from "../execution/end-and-notify.ts";
import { completeStop } from "../flows/lifecycle/cancel.ts";
import type { FinishFlowDeps } from "../flows/lifecycle/finish.ts";
import { reconcileFlow } from "../flows/lifecycle/reconcile.ts";
import { type CancelJobDeps, cancelJob } from "../jobs/cancel/cancel-job.ts";
import { isConcurrencyGroup, reconcileGroup } from "../jobs/concurrency/concurrency.ts";
import { eraseDue } from "../jobs/erasure/erase-due.ts";
import type { EraseJobDeps } from "../jobs/erasure/job-data.ts";
import { sendJob } from "../jobs/queue/enqueue.ts";

export type ResumeDueJobsDeps = FinishFlowDeps &
  GateDeps &
  CancelJobDeps &
  EraseJobDeps &
  JobEndedDeps & {
    /** Called for each job that failed, so that it does not stop the others. */
    onJobFailed(id: string, error: unknown): void;
  };

/** The number of due jobs that one tick checks in each shard; the next tick checks the rest. */
const DUE_PER_SHARD = 500;
/** A released slot notifies the next job, and housekeeping checks the group too. This check covers the loss of both. */
const LIMITED_CHECK_MS = 300_000;

type Outcome = "sent" | "requeued" | "ended" | "waited";

/**
 * Checks every job that should have progressed by now, until `untilMs` (epoch ms), and repairs those that did not: an unsent message is
 * sent, and a lost attempt is queued again or ended. Returns the number of jobs by outcome. Each step is conditional on what was read, so
 * concurrent ticks do nothing twice. Throws `DueJobsFailed` at the end if any job failed.
 */
export async function resumeDueJobs(
  deps: ResumeDueJobsDeps,
  inUse: ReadonlySet<string>,
  untilMs: number,
): Promise<Record<Outcome, number>> {
  const { jobs, nowMs, onJobFailed } = deps;
  const done = { sent: 0, requeued: 0, ended: 0, waited: 0 };
  const now = nowMs();
  let failed = 0;
  for (let shard = 0; shard < SHARDS; shard += 1) {
    for (const { id } of await jobs.listDue(shard, now, DUE_PER_SHARD)) {
      try {
        const outcome = await resumeDueJob(deps, id, inUse, now);
        if (outcome) done[outcome] += 1;
      } catch (error) {
        onJobFailed(id, error);
        failed += 1;
      }
      if (Date.now() >= untilMs) return requireNoFailures(done, failed);
    }
  }
  return requireNoFailures(done, failed);
}

class DueJobsFailed extends Error {
  override readonly name = "DueJobsFailed";
}

/** A failure must reach the alarm, although the other jobs were checked. */
function requireNoFailures(done: Record<Outcome, number>, failed: number): Record<Outcome, number> {
  if (failed > 0) throw new DueJobsFailed(`${failed} due jobs failed. Outcomes of the other jobs: ${JSON.stringify(done)}.`);
  return done;
}

async function resumeDueJob(deps: ResumeDueJobsDeps, id: string, inUse: ReadonlySet<string>, now: number): Promise<Outcome | undefined> {
  if (isConcurrencyGroup(id)) {
    await reconcileGroup(deps, id);
    return "waited";
  }
  const job = await deps.jobs.get(id);
  if (!job) return undefined;
  if (hasEnded(job)) return eraseDue(deps, await completeStop(deps, job));
  if (!job.cancel && !inUse.has(job.workspace)) return cancelArchivedJob(deps, job);
  if (job.state === "queued") return resendJob(deps, job, now);
  return job.flow?.plan ? reconcileFlow(deps, job) : resumeRunning(deps, job, now);
}

/** Cancels a job that was accepted just before its workspace was archived or deleted. */
async function cancelArchivedJob(deps: ResumeDueJobsDeps, job: Job): Promise<Outcome> {
  try {
    await cancelJob(deps, job, { by: "svc", reason: "the workspace is archived" });
    return "ended";
  } catch (error) {
    if (!isSvcError(error) || !error.code.startsWith("job.")) throw error;
    return "waited";
  }
}

/** Sends a job's message again. If the first one is still on its way, the job runs once all the same. */
async function resendJob({ jobs, queue }: ResumeDueJobsDeps, job: Job, now: number): Promise<Outcome> {
  await sendJob({ queue, nowMs: () => now }, job);
  const nextMs = job.concurrency && (job.scheduledForMs ?? 0) <= now ? now + LIMITED_CHECK_MS : firstDueMs(now, job.scheduledForMs);
  await jobs.update(job.id, { dueAtMs: nextMs }, { attr: "state", eq: "queued" });
  return "sent";
}

async function resumeRunning(deps: ResumeDueJobsDeps, job: RunningJob, now: number): Promise<Outcome> {
  const { jobs, queue } = deps;
  const same = { and: [{ attr: "state", eq: "running" } as const, { attr: "nonce", eq: job.nonce } as const] };
  if (!isLost(job, now)) {
    await jobs.update(job.id, { dueAtMs: job.leaseUntilMs + limits.leaseGraceMs + 1000 }, same);
    return "waited";
  }
  if (job.cancel || !mayRetryLoss(job)) {
    const ended = await endJobAndNotify(deps, job, job.cancel ? canceledEnding(job.cancel) : workerLostEnding(limits.maxAttempts));
    return ended ? "ended" : "waited";
  }
  const { nonce, leaseUntilMs } = jobs.cleared;
  const requeued = await jobs.update(
    job.id,
    { state: "queued", nonce, leaseUntilMs, losses: jobs.oneMore, dueAtMs: firstDueMs(now) },
    same,
  );
  if (!requeued) return "waited";
  await queue.sendMessage(requeued);
  return "requeued";
}
