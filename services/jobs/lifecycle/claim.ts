import { randomBytes } from "node:crypto";
import { limits } from "../../../contract/limits.ts";
import type { Job, QueuedJob, RunningJob } from "../../../core/jobs/record/job.ts";
import { reportFailure } from "../../../core/telemetry/telemetry.ts";
import type { Uses } from "../../uses.ts";

const newNonce = () => randomBytes(12).toString("hex");

/** Returns the fields of a job's record for a new attempt with its own nonce and lease. */
export function newAttemptFields(nowMs: number, worker: string) {
  return { state: "running" as const, nonce: newNonce(), leaseUntilMs: nowMs + limits.leaseMs, startedAtMs: nowMs, worker };
}

/** Claims a queued job by a lease. Returns `undefined` if another worker has claimed it or it has ended. */
export async function claimJob({ jobs, nowMs, worker }: Uses<"jobs" | "nowMs" | "worker">, id: string): Promise<RunningJob | undefined> {
  const changed = await jobs.update(
    id,
    { ...newAttemptFields(nowMs(), worker), attempt: jobs.oneMore },
    {
      and: [
        { attr: "state", eq: "queued" },
        // A job of a concurrency group is claimed together with its slot (services/jobs/concurrency/concurrency.ts).
        { attr: "concurrency", exists: false },
        // A registered claimer makes the first claim and adds its own writes.
        { attr: "claimer", exists: false },
      ],
    },
  );
  return ifRunning(changed);
}

/** Returns the record of a job that runs in the process that accepts it: it is created as running, with its first attempt claimed. */
export function createClaimedJob(job: QueuedJob, nowMs: number, worker: string): RunningJob {
  return { ...job, ...newAttemptFields(nowMs, worker), attempt: 1 };
}

/** Claims the next attempt of a job whose worker was lost; `undefined` if the lost attempt no longer owned the job. */
export async function reclaimJob(
  { jobs, nowMs, worker }: Uses<"jobs" | "nowMs" | "worker">,
  lost: RunningJob,
): Promise<RunningJob | undefined> {
  const changed = await jobs.update(
    lost.id,
    { ...newAttemptFields(nowMs(), worker), attempt: jobs.oneMore, losses: jobs.oneMore },
    {
      and: [
        { attr: "state", eq: "running" },
        { attr: "nonce", eq: lost.nonce },
      ],
    },
  );
  return ifRunning(changed);
}

/** Returns a claimed job to the queue. `lost` counts the attempt as lost; otherwise it does not count (a throttled runner, a pending build). */
export async function releaseJob({ jobs }: Uses<"jobs">, job: RunningJob, { lost = false } = {}): Promise<boolean> {
  const { nonce, leaseUntilMs } = jobs.cleared;
  const changed = await jobs.update(
    job.id,
    { state: "queued", nonce, leaseUntilMs, ...(lost ? { losses: jobs.oneMore } : { attempt: jobs.oneLess }) },
    {
      and: [
        { attr: "state", eq: "running" },
        { attr: "nonce", eq: job.nonce },
      ],
    },
  );
  return changed !== undefined;
}

/** The interval at which work without a runner renews its lease and checks for a cancellation. */
const RENEW_EVERY_MS = 3000;

interface Renewal {
  everyMs?: number;
  /** No renewal follows this time (epoch ms). */
  untilMs?: number;
  /** Called after each renewal of a job that is marked as canceled. `stop` ends the renewals. */
  onCancel?: (marked: RunningJob, stop: () => void) => void;
}

/** Renews the lease of a job while `work` lasts, until another attempt owns the job or it has ended. */
export async function renewLeaseDuring<T>(
  { jobs, nowMs }: Uses<"jobs" | "nowMs">,
  job: RunningJob,
  work: Promise<T>,
  { everyMs = RENEW_EVERY_MS, untilMs = Number.POSITIVE_INFINITY, onCancel = () => {} }: Renewal = {},
): Promise<T> {
  const stop = () => clearInterval(timer);
  const renew = () => {
    const now = nowMs();
    // A frozen process continues with the next invocation, which must not wait for this work.
    if (now >= untilMs) return stop();
    jobs
      .update(
        job.id,
        { leaseUntilMs: now + limits.leaseMs, lastPingMs: now },
        {
          and: [
            { attr: "state", eq: "running" },
            { attr: "nonce", eq: job.nonce },
          ],
        },
      )
      .then((renewed) => {
        if (renewed?.state !== "running") stop();
        else if (renewed.cancel) onCancel(renewed, stop);
      })
      // The next write, which is conditional on the same nonce, detects a lost renewal.
      .catch((error: unknown) => reportFailure("A lease could not be renewed", error, { job: job.id }));
  };
  const timer = setInterval(renew, everyMs);
  try {
    return await work;
  } finally {
    stop();
  }
}

function ifRunning(job: Job | undefined): RunningJob | undefined {
  return job?.state === "running" ? job : undefined;
}
