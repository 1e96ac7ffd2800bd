import { isBusyError, isSvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { RunningJob } from "../../core/jobs/record/job.ts";
import { type EndedJobWithResult, failedEnding, mayRetryLoss } from "../../core/jobs/record/lifecycle.ts";
import { countOutcome, reportFailure } from "../../core/telemetry/telemetry.ts";
import { releaseJob } from "../jobs/lifecycle/claim.ts";
import { endJob } from "../jobs/lifecycle/end/end-job.ts";
import { retryWhileBusy } from "../jobs/lifecycle/retry-while-busy.ts";
import { sendJob } from "../jobs/queue/enqueue.ts";
import { postponeJob } from "../jobs/queue/postpone-job.ts";
import type { Uses } from "../uses.ts";
import { notifyJobEnded } from "./endings/end-and-notify.ts";
import { endExecutedJob } from "./endings/end-executed-job.ts";
import { decideEnd, type JobEnding } from "./endings/job-ending.ts";
import type { RunnerBatch } from "./invoke-runner.ts";
import { findLostRight } from "./rights/lost-rights.ts";

/** Input of a job that the caller of `runJob` has already loaded. */
export interface JobInput {
  /** The arguments as JSON text; if absent, they are loaded. */
  argsJson?: string | undefined;
  /** Runs that may follow in the same call of the runner. */
  together?: RunnerBatch | undefined;
}

/**
 * Executes a claimed job of one kind, and returns its end. Returns `undefined` if the job continues elsewhere: its end will appear in its record.
 */
export type JobExecutor = (job: RunningJob, input: JobInput) => Promise<JobEnding | undefined>;

export type RunJobDeps = Uses<
  "followUps" | "executors" | "onJobEnded" | "jobs" | "objects" | "storage" | "queue" | "nowMs" | "pause" | "maxRetryMs"
>;

/** An attempt that failed inside the service is repeated after this time. */
const RETRY_MS = 3000;

/**
 * Runs a claimed job by the executor of its kind, then informs the listeners. Returns the ended job, or `undefined` if it continues elsewhere.
 * Rethrows the executor's error after the job was returned to the queue, unless AWS refused a call: then the job is only postponed.
 */
export function runJob(deps: RunJobDeps, job: RunningJob, input: JobInput = {}): Promise<EndedJobWithResult | undefined> {
  return doAttempt(deps, job, () => beginJob(deps, job, input));
}

/** Executes a claimed job by the executor of its kind, unless a right was lost while it waited. */
export async function beginJob(deps: RunJobDeps, job: RunningJob, input: JobInput): Promise<JobEnding | undefined> {
  const lost = await findLostRight(deps, job);
  return lost ? decideEnd(job, lost) : deps.executors[job.kind](job, input);
}

/** Executes a claimed attempt and ends the job with the result, then informs the listeners, as `runJob` does. */
export async function doAttempt(
  deps: RunJobDeps,
  job: RunningJob,
  execute: () => Promise<JobEnding | undefined>,
): Promise<EndedJobWithResult | undefined> {
  const end = async () => endExecutedJob(deps, await execute());
  const ended = await end().catch((error: unknown) => giveUpAttempt(deps, job, error));
  if (ended) await retryWhileBusy(deps, () => notifyJobEnded(deps, ended));
  return ended;
}

/** Describes the failure of a run whose script or flow was deleted after the run was accepted; `undefined` for any other error. */
function describeDeletion(error: unknown): { name: string; message: string } | undefined {
  if (!isSvcError(error)) return undefined;
  if (error.code === "script.versionNotFound") return { name: "ScriptDeleted", message: "The script was deleted while the run waited." };
  if (error.code === "flow.versionNotFound") return { name: "FlowDeleted", message: "The flow was deleted while the run waited." };
  return undefined;
}

/**
 * The service failed, not the script. If AWS refused a call, the job is postponed and nothing is counted. Otherwise the attempt counts as lost and is
 * retried, and the last failure ends the job.
 */
async function giveUpAttempt(deps: RunJobDeps, job: RunningJob, error: unknown): Promise<EndedJobWithResult | undefined> {
  const now = await retryWhileBusy(deps, () => deps.jobs.get(job.id));
  if (now?.state !== "running" || now.nonce !== job.nonce) return undefined;
  if (isBusyError(error)) {
    reportFailure("A job is postponed because AWS refused a call", error, { job: job.id });
    await retryWhileBusy(deps, () => postponeJob(deps, now));
    return undefined;
  }
  // A repeated attempt would fail in the same way.
  const deleted = describeDeletion(error);
  if (deleted) return endJob(deps, now, failedEnding(deleted));
  countOutcome("LostAttempts");
  if (!mayRetryLoss(now)) {
    reportFailure("The last attempt of a job failed in the service", error, { job: job.id });
    return endJob(
      deps,
      now,
      failedEnding({ name: "InternalError", message: `The service failed to run this job ${limits.maxAttempts} times.` }),
    );
  }
  if (await releaseJob(deps, now, { lost: true })) await sendJob(deps, { ...now, scheduledForMs: deps.nowMs() + RETRY_MS });
  throw error;
}
