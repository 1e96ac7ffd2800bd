import { isSvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { mapInParallel } from "../../contract/utilities/map-in-parallel.ts";
import { hasEnded, type Job, type QueuedJob, type RunningJob, SHARDS } from "../../core/jobs/record/job.ts";
import { canceledEnding, firstDueMs, isLost, mayRetryLoss, workerLostEnding } from "../../core/jobs/record/lifecycle.ts";
import { parseNextRunId } from "../../core/schedules/next-run.ts";
import type { DueEntry } from "../../ports/job-store.ts";
import { endJobAndNotify } from "../execution/endings/end-and-notify.ts";
import { completeStop } from "../flows/lifecycle/cancel.ts";
import { reconcileFlow } from "../flows/lifecycle/reconcile.ts";
import { cancelJob } from "../jobs/cancel/cancel-job.ts";
import { isConcurrencyGroup, reconcileGroup } from "../jobs/concurrency/concurrency.ts";
import { eraseDue } from "../jobs/erasure/erase-due.ts";
import { requestFollowUp } from "../jobs/lifecycle/follow-ups.ts";
import { reconcileSchedule } from "../schedules/change-run.ts";
import type { Uses } from "../uses.ts";
import { type DueJob, sendDueJobs } from "./send-due-jobs.ts";

export type ResumeDueJobsDeps = Uses<
  | "followUps"
  | "onJobEnded"
  | "onJobCanceled"
  | "jobData"
  | "gatedFlows"
  | "isolation"
  | "jobs"
  | "objects"
  | "storage"
  | "concurrency"
  | "schedules"
  | "queue"
  | "executions"
  | "functions"
  | "nowMs"
  | "pause"
  | "maxRetryMs"
>;

/** The name under which failed items of this task are recorded. */
const DUE_JOBS = "resumeDueJobs";
/** The number of entries that are read at once: their heads are read in one call. */
const PAGE = 100;
/** The number of other jobs of a shard that are resumed at the same time. */
const AT_ONCE = 8;
/** Later than every job is due (epoch ms). */
const LAST_DUE_MS = 1e14;
/** Time after which an expired job that DynamoDB has not deleted yet is checked again. */
const EXPIRED_LOOK_MS = 24 * 3600_000;

type Outcome = "sent" | "requeued" | "ended" | "waited";

/** One tick over the due jobs. */
interface Tick {
  inUse: ReadonlySet<string>;
  now: number;
  /** When leases expire. */
  leaseClock: number;
  engineStopped: boolean;
  done: Record<Outcome, number>;
}

/**
 * Checks every job that should have progressed by now, until `untilMs` (epoch ms), and repairs those that did not: an unsent message is
 * sent, and a lost attempt is queued again or ended. Returns the number of jobs by outcome. Each step is conditional on what was read, so
 * concurrent ticks do nothing twice. The next tick continues with the earliest jobs that are left, because those that were checked are due later.
 * A job that fails is set aside by `isolation`.
 *
 * `stoppedMs`: everything that ran before this time (epoch ms) has stopped. Then all jobs are checked, whenever they are due, and leases that
 * were granted before that time have ended.
 */
export async function resumeDueJobs(
  deps: ResumeDueJobsDeps,
  inUse: ReadonlySet<string>,
  untilMs: number,
  { stoppedMs }: { stoppedMs?: number | undefined } = {},
): Promise<Record<Outcome, number>> {
  const now = deps.nowMs();
  const leaseClock = Math.max(now, (stoppedMs ?? 0) + limits.leaseMs + limits.leaseGraceMs);
  const dueUntilMs = stoppedMs === undefined ? now : LAST_DUE_MS;
  const tick: Tick = {
    inUse,
    now,
    leaseClock,
    engineStopped: stoppedMs !== undefined,
    done: { sent: 0, requeued: 0, ended: 0, waited: 0 },
  };
  // All shards run concurrently: none of them waits for another one, and the failure of one does not affect the others.
  const failures: unknown[] = [];
  const settled = (work: (shard: number) => Promise<void>) => (shard: number) =>
    work(shard).catch((error: unknown) => {
      failures.push(error);
    });
  await mapInParallel(
    Array.from({ length: SHARDS }, (_, shard) => shard),
    SHARDS,
    settled(async (shard) => {
      let after: Record<string, unknown> | undefined;
      do {
        const page = await deps.jobs.listDuePage(shard, dueUntilMs, { limit: PAGE, after });
        await resumePage(deps, tick, page.entries);
        after = page.after;
      } while (after && Date.now() < untilMs);
    }),
  );
  if (failures.length > 0) throw failures[0];
  return tick.done;
}

async function resumePage(deps: ResumeDueJobsDeps, tick: Tick, entries: readonly DueEntry[]): Promise<void> {
  const heads = await loadHeads(deps, entries);
  const toSend: DueJob[] = [];
  const others: DueEntry[] = [];
  for (const entry of entries) {
    const job = heads.get(entry.id);
    // A job that has failed before is handled alone, so that its record is removed when it succeeds.
    if (job?.state === "queued" && isInUse(tick, job) && !(await deps.isolation.hasFailed(DUE_JOBS, entry.id))) toSend.push({ entry, job });
    else others.push(entry);
  }
  const sending = sendDueJobs(deps, toSend, tick.now, (entry, work) => isolate(deps, tick, entry, work));
  // A failing queue does not stop schedules and flows.
  const [sendOutcome, resumed] = await Promise.allSettled([
    sending,
    mapInParallel(others, AT_ONCE, (entry) =>
      isolate(deps, tick, entry, async () => {
        const outcome = await resumeDueItem(deps, tick, entry);
        if (outcome) tick.done[outcome] += 1;
      }),
    ),
  ]);
  if (sendOutcome.status === "rejected") throw sendOutcome.reason;
  if (resumed.status === "rejected") throw resumed.reason;
  // The other shards have counted during this call.
  tick.done.sent += sendOutcome.value;
}

/** Reads the heads of a page in one call. An unreadable head is left out here, and fails alone when it is read separately. */
async function loadHeads({ jobs }: ResumeDueJobsDeps, entries: readonly DueEntry[]): Promise<Map<string, Job>> {
  const ids = entries.flatMap(({ id }) => (isConcurrencyGroup(id) || parseNextRunId(id) ? [] : [id]));
  try {
    return new Map((await jobs.batchGet(ids)).map((job) => [job.id, job]));
  } catch {
    // One of them makes the whole call fail.
    return new Map();
  }
}

const isInUse = ({ inUse }: Tick, job: Job) => job.cancel !== undefined || inUse.has(job.workspace);

/** Runs the work for one item. If it fails, the item is due again, or later if it is set aside, and the failure is recorded. */
async function isolate(deps: ResumeDueJobsDeps, { now }: Tick, entry: DueEntry, work: () => Promise<unknown>): Promise<boolean> {
  const attempt = await deps.isolation.attempt(DUE_JOBS, entry.id, work);
  if (attempt.ok) return true;
  const dueAtMs = attempt.untilMs ?? now;
  // Without this move, an item that always fails would be read first in every tick.
  if (dueAtMs > now || entry.dueAtMs > now) await deps.jobs.postpone(entry, dueAtMs);
  return false;
}

async function resumeDueItem(deps: ResumeDueJobsDeps, tick: Tick, entry: DueEntry): Promise<Outcome | undefined> {
  if (isConcurrencyGroup(entry.id)) {
    await reconcileGroup(deps, entry.id);
    return "waited";
  }
  if (parseNextRunId(entry.id)) {
    await reconcileSchedule(deps, entry.id);
    return "waited";
  }
  const job = await deps.jobs.get(entry.id);
  if (!job) {
    // The index shows deleted jobs for a moment, and expired ones until DynamoDB deletes them.
    await deps.jobs.postpone(entry, tick.now + EXPIRED_LOOK_MS);
    return undefined;
  }
  if (hasEnded(job)) {
    await requestFollowUp(deps, job);
    return eraseDue(deps, await completeStop(deps, job));
  }
  if (!isInUse(tick, job)) return cancelArchivedJob(deps, job);
  if (job.state === "queued") return resendJob(deps, tick, { entry, job });
  return job.flow?.plan ? reconcileFlow(deps, job, tick) : resumeRunning(deps, job, tick);
}

/** Sends the message of one job. If that fails, the job is due again. */
async function resendJob(deps: ResumeDueJobsDeps, { now }: Tick, due: { entry: DueEntry; job: QueuedJob }): Promise<Outcome> {
  const count = await sendDueJobs(deps, [due], now, async (entry, work) => {
    try {
      await work();
      return true;
    } catch (error) {
      if (entry.dueAtMs > now) await deps.jobs.postpone(entry, now);
      throw error;
    }
  });
  return count > 0 ? "sent" : "waited";
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

async function resumeRunning(deps: ResumeDueJobsDeps, job: RunningJob, { now, leaseClock }: Tick): Promise<Outcome> {
  const { jobs, queue } = deps;
  const same = { and: [{ attr: "state", eq: "running" } as const, { attr: "nonce", eq: job.nonce } as const] };
  if (!isLost(job, leaseClock)) {
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
