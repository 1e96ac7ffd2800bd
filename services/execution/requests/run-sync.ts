import { SvcError } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import { containsFiles } from "../../../core/jobs/cache.ts";
import {
  type EndState,
  hasEnded,
  isSuccess,
  type Job,
  type RunningJob,
  resultVisibleTo,
  seesSecretsOf,
} from "../../../core/jobs/record/job.ts";
import type { EndedJobWithResult } from "../../../core/jobs/record/lifecycle.ts";
import { splitEvent } from "../../../core/payload/preprocessor-arguments.ts";
import type { Actor } from "../../../core/people/actor.ts";
import { hasReferences } from "../../../core/resources/references.ts";
import type { Runnable } from "../../../core/scripts/version.ts";
import { reportFailure } from "../../../core/telemetry/telemetry.ts";
import { createCachedJob, findCachedResult, stageCachedStream } from "../../jobs/cache/cache.ts";
import { createClaimedJob, releaseJob } from "../../jobs/lifecycle/claim.ts";
import { announceEnd, buildFollowUp } from "../../jobs/lifecycle/follow-ups.ts";
import { createJobRecord } from "../../jobs/queue/create-job-record.ts";
import { enqueueJob, type NewJob, prepareJob, sendJob } from "../../jobs/queue/enqueue.ts";
import { waitForEnd, waitForJobState } from "../../jobs/read/streams/wait.ts";
import { loadValue } from "../../jobs/values/values.ts";
import type { Uses } from "../../uses.ts";
import { toPreprocessor } from "../arguments/check-arguments.ts";
import { endExecutedJob } from "../endings/end-executed-job.ts";
import { decideEnd } from "../endings/job-ending.ts";
import { buildRunnerRequest, type Executable, type InvokeRunnerDeps, invokeRunner } from "../invoke-runner.ts";
import { findLostRight } from "../rights/lost-rights.ts";

export type RunSyncDeps = Uses<
  | "followUps"
  | "jobs"
  | "objects"
  | "storage"
  | "queue"
  | "functions"
  | "signingKey"
  | "nowMs"
  | "pause"
  | "maxRetryMs"
  | "waitsForMs"
  | "worker"
  | "tenancy"
  | "baseUrl"
  | "internalUrl"
  | "beatUrl"
>;

/** The result of a synchronous call: the result's JSON text, or its location if it is too large for a reply. */
export interface SyncResult {
  id: string;
  state: EndState;
  resultJson?: string | undefined;
  stored?: { s3: string; url: string; size: number };
  /** The validity of the link, in seconds. */
  linkS?: number;
  /** The result belongs to an earlier run. */
  cached: boolean;
  /** The run ended before its preprocessor had returned arguments. */
  isPreprocessorFailure?: true;
}

/** The validity of a presigned link to a large result, in seconds. */
const LINK_S = 3600;

/** Arguments up to this size are part of a worker's call. */
const MAX_CALL_CHARS = 256 * 1024;

/**
 * Runs a job and waits up to `limitMs` for its end. A version that is built runs in this process, or in a worker if its arguments contain
 * references or files that this function may not read. All other jobs, including those with a concurrency limit, go through the queue.
 * Throws `job.idTaken` and, at the deadline, `job.syncTimeout`: the job continues.
 */
export async function runSync(deps: RunSyncDeps, newJob: NewJob, runnable: Runnable | undefined, limitMs: number): Promise<SyncResult> {
  const { id, ended } = await startSync(deps, newJob, runnable, deps.nowMs() + limitMs);
  if (!ended) throw new SvcError("job.syncTimeout", { id, limitMs });
  return answer(deps, newJob.actor, ended);
}

/** References, and files that are part of the cache key, can only be read by a worker. */
const needsWorker = (newJob: NewJob) =>
  hasReferences(argumentsWithReferences(newJob)) || (newJob.cacheTtlS !== undefined && containsFiles(newJob.args));

async function startSync(
  deps: RunSyncDeps,
  newJob: NewJob,
  runnable: Runnable | undefined,
  untilMs: number,
): Promise<{ id: string; ended: EndedJobWithResult | undefined }> {
  // Slots of a concurrency group are assigned to jobs from the queue only.
  const queued = newJob.scheduledForMs !== undefined || Boolean(newJob.delayS) || runnable?.concurrency !== undefined;
  if (runnable?.build.state !== "ready" || !runnable.runner || queued) {
    const { id } = await enqueueJob(deps, newJob);
    return { id, ended: await waitForEnd(deps, id, untilMs) };
  }
  const { nowMs, worker } = deps;
  const prepared = await prepareJob(deps, newJob);
  // This function parses requests from the internet, so it has no access to secrets and files. A worker resolves the references.
  if (needsWorker(newJob)) {
    const job = createClaimedJob(prepared, nowMs(), worker);
    const other = await createJobRecord(deps, job, newJob.idempotencyKey);
    return waitUntilSettled(deps, other ?? job, untilMs, other ? undefined : callWorker(deps, job, newJob));
  }
  // The rights of the user for whom the run acts.
  const lost = await findLostRight(deps, prepared);
  const cachedResult = lost ? undefined : await findCachedResult(deps, prepared);
  if (cachedResult) {
    const ended = { ...createCachedJob(prepared, cachedResult, nowMs()), ...(await buildFollowUp(deps, prepared, "succeeded")) };
    // A reader who sees the end finds the complete stream, because both are written at once.
    const stream = await stageCachedStream(deps, ended, cachedResult);
    const other = await createJobRecord(deps, ended, newJob.idempotencyKey, stream);
    if (other) return waitUntilSettled(deps, other, untilMs);
    await announceEnd(deps, ended);
    return { id: ended.id, ended: cachedResult.resultJson === undefined ? ended : { ...ended, resultJson: cachedResult.resultJson } };
  }
  const job = createClaimedJob(prepared, nowMs(), worker);
  const { runner, build, params, paramTypes, dedicated } = runnable;
  const preprocessor = toPreprocessor(runnable);
  const executable: Executable = { runner, artefact: build, params, paramTypes, preprocessor, dedicated };
  // The request is signed while the record is written. The runner is invoked only after both.
  const [other, first] = await Promise.all([
    createJobRecord(deps, job, newJob.idempotencyKey),
    buildRunnerRequest(deps, job, executable, newJob.args),
  ]);
  const run = async () =>
    endExecutedJob(deps, lost ? decideEnd(job, lost) : await invokeRunner(deps, job, executable, { args: newJob.args, first }));
  return waitUntilSettled(deps, other ?? job, untilMs, other ? undefined : run());
}

/** Waits until the deadline for a run of this process, or for that of an equal call. */
async function waitUntilSettled(
  deps: RunSyncDeps,
  { id }: Pick<Job, "id">,
  untilMs: number,
  run?: Promise<EndedJobWithResult | undefined>,
) {
  const ended = run ? await waitForRun(untilMs - deps.nowMs(), run) : "elsewhere";
  // The job was returned to the queue, or another attempt has claimed it: its end will appear in its record.
  return { id, ended: ended === "elsewhere" ? await waitForEnd(deps, id, untilMs) : ended };
}

/** Invokes a worker for a claimed job. If no worker accepts it, the job is returned to the queue. */
async function callWorker(deps: RunSyncDeps, job: RunningJob, { args }: NewJob): Promise<EndedJobWithResult | undefined> {
  const argsJson = JSON.stringify(args);
  const reply = await deps.functions.invokeWorker({ running: job, ...(argsJson.length <= MAX_CALL_CHARS ? { argsJson } : {}) });
  if (reply !== "refused") return reply ?? undefined;
  if (await releaseJob(deps, job)) await sendJob(deps, job);
  return undefined;
}

/** Runs a flow and waits up to `limitMs` for its end, or for the step whose result is returned early. Throws as `runSync` does. */
export async function runFlowSync(deps: RunSyncDeps, newJob: NewJob, limitMs: number): Promise<SyncResult> {
  const untilMs = deps.nowMs() + limitMs;
  const { actor: reader } = newJob;
  const { id } = await enqueueJob(deps, newJob);
  const job = await waitForJobState(deps, id, untilMs, (now) => hasEnded(now) || now.earlyReturn !== undefined);
  if (job && hasEnded(job)) return answer(deps, reader, job);
  if (!job?.earlyReturn) throw new SvcError("job.syncTimeout", { id, limitMs });
  const { jobId, location, redacted = location } = job.earlyReturn;
  const json = await loadValue(deps, { id: jobId }, seesSecretsOf(reader, job) ? location : redacted);
  if (Buffer.byteLength(json) > limits.syncReplyBytes / 2) throw new SvcError("job.syncTimeout", { id, limitMs });
  return { id, state: "succeeded", cached: false, resultJson: json };
}

/** Waits up to `limitMs` for a job that an equal call has started, and returns its result. Throws `job.syncTimeout` and `job.erased`. */
export async function joinRun(deps: RunSyncDeps, reader: Actor, job: Job, limitMs: number): Promise<SyncResult> {
  const ended = hasEnded(job) ? job : await waitForEnd(deps, job.id, deps.nowMs() + limitMs);
  if (!ended) throw new SvcError("job.syncTimeout", { id: job.id, limitMs });
  return answer(deps, reader, ended);
}

/** Returns the arguments in which references are resolved. Those of a preprocessor's event are not. */
const argumentsWithReferences = ({ args, preprocess }: NewJob) => (preprocess ? splitEvent(args).others : args);

/** Returns the run's end if it comes within `ms`. A run that takes longer continues, and its runner reports the end itself. */
async function waitForRun(ms: number, run: Promise<EndedJobWithResult | undefined>): Promise<EndedJobWithResult | "elsewhere" | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.max(ms, 0));
  });
  try {
    return await Promise.race([run.then((ended) => ended ?? ("elsewhere" as const)), late]);
  } finally {
    clearTimeout(timer);
    // This run is no longer awaited. If it fails, housekeeping retries its attempt.
    run.catch((error: unknown) => reportFailure("A run failed after its caller's deadline", error));
  }
}

/** Throws `job.erased` if an equal call has received the only answer. */
async function answer(deps: InvokeRunnerDeps, reader: Actor, ended: EndedJobWithResult): Promise<SyncResult> {
  const erased = new SvcError("job.erased", { id: ended.id });
  if (ended.erased) throw erased;
  try {
    return await readResult(deps, reader, ended);
  } catch (error) {
    // The run may have been erased after its record was read.
    const now = await deps.jobs.get(ended.id);
    throw now && hasEnded(now) && now.erased ? erased : error;
  }
}

async function readResult({ jobs, storage }: InvokeRunnerDeps, reader: Actor, ended: EndedJobWithResult): Promise<SyncResult> {
  const { id, state } = ended;
  const failed = !isSuccess(ended) && ended.preprocess === "wanted" ? { isPreprocessorFailure: true as const } : {};
  const about = { id, state, cached: ended.cachedFrom !== undefined, ...failed };
  const result = resultVisibleTo(reader, ended);
  const resultJson = result === ended.result ? ended.resultJson : undefined;
  const bytes = result.in === "s3" ? (result.bytes ?? 0) : 0;
  const text = bytes > limits.syncReplyBytes ? undefined : (resultJson ?? (await loadValue({ jobs, storage }, ended, result)));
  if (result.in !== "s3" || (text !== undefined && fitsReply(text, bytes))) return { ...about, resultJson: text };
  return {
    ...about,
    stored: { s3: result.key, url: await storage.createDownloadUrl(result.key, LINK_S), size: bytes },
    linkS: LINK_S,
  };
}

/**
 * A reply contains the result as a JSON string, where each quotation mark and backslash takes two bytes. A result below half the limit always
 * fits.
 */
function fitsReply(json: string, bytes: number): boolean {
  return bytes <= limits.syncReplyBytes / 2 || Buffer.byteLength(JSON.stringify(json)) <= limits.syncReplyBytes;
}
