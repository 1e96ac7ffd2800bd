import type { Functions } from "../../../aws/lambda/functions.ts";
import { SvcError } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import { containsFiles } from "../../../core/jobs/cache.ts";
import { type EndState, hasEnded, type Job, type RunningJob, resultVisibleTo } from "../../../core/jobs/job.ts";
import { splitEvent } from "../../../core/payload/preprocessor-arguments.ts";
import type { Actor } from "../../../core/people/actor.ts";
import { hasReferences } from "../../../core/resources/references.ts";
import type { Runnable } from "../../../core/scripts/version.ts";
import { countEndedJob, reportFailure } from "../../../core/telemetry/telemetry.ts";
import { createCachedJob, findCachedResult, storeCachedStream } from "../../jobs/cache/cache.ts";
import { createClaimedJob, releaseJob } from "../../jobs/lifecycle/claim.ts";
import type { FinishedJob } from "../../jobs/lifecycle/finish.ts";
import { type CreateJobDeps, createJobRecord } from "../../jobs/queue/create-job-record.ts";
import { enqueueJob, type NewJob, prepareJob, sendJob } from "../../jobs/queue/enqueue.ts";
import { waitForEnd, waitForJobState } from "../../jobs/read/wait.ts";
import { loadValue } from "../../jobs/values/values.ts";
import { buildRunnerRequest, type Executable, type InvokeRunnerDeps, invokeRunner } from "../invoke-runner.ts";

export type RunSyncDeps = InvokeRunnerDeps & CreateJobDeps & { functions: Pick<Functions, "work"> };

/** A synchronous call's answer: the result's JSON text, or where it is when it is too large for a reply. */
export interface SyncResult {
  id: string;
  state: EndState;
  resultJson?: string | undefined;
  stored?: { s3: string; url: string; size: number };
  /** How long the link works. */
  linkS?: number;
  /** The result belongs to an earlier run. */
  cached: boolean;
}

/** How long a presigned link to a large result works. */
const LINK_S = 3600;

/** Arguments up to this size are part of a worker's call. */
const CALLED_CHARS = 256 * 1024;

/**
 * Runs a job and waits for its end. A version that is built is executed right here, or by a worker that is called where something must be
 * read that this function may not read; everything else, limited runs too, goes through the queue and is waited for. Throws `job.idTaken` and, at the deadline, `job.syncTimeout`: the job goes on.
 */
export async function runSync(deps: RunSyncDeps, asked: NewJob, runnable: Runnable | undefined, limitMs: number): Promise<SyncResult> {
  const { id, ended } = await start(deps, asked, runnable, deps.nowMs() + limitMs);
  if (!ended) throw new SvcError("job.syncTimeout", { id, limitMs });
  return answer(deps, asked.actor, ended);
}

/** What a reference stands for, and what is in a file that decides about the cache, is the worker's to read. */
const needsWorker = (asked: NewJob) => hasReferences(references(asked)) || (asked.cacheTtlS !== undefined && containsFiles(asked.args));

async function start(
  deps: RunSyncDeps,
  asked: NewJob,
  runnable: Runnable | undefined,
  untilMs: number,
): Promise<{ id: string; ended: FinishedJob | undefined }> {
  // Slots of a concurrency group are given to what comes from the queue.
  const queued = asked.scheduledForMs !== undefined || runnable?.concurrency !== undefined;
  if (runnable?.build.state !== "ready" || !runnable.runner || queued) {
    const { id } = await enqueueJob(deps, asked);
    return { id, ended: await waitForEnd(deps, id, untilMs) };
  }
  const { nowMs, worker } = deps;
  const prepared = await prepareJob(deps, asked);
  // This function reads what strangers send, and holds no right to secrets and files: what a reference stands for is the worker's to read.
  if (needsWorker(asked)) {
    const job = createClaimedJob(prepared, nowMs(), worker);
    const other = await createJobRecord(deps, job, asked.once);
    return settle(deps, other ?? job, untilMs, other ? undefined : callWorker(deps, job, asked));
  }
  const known = await findCachedResult(deps, prepared);
  if (known) {
    const ended = createCachedJob(prepared, known, nowMs());
    const other = await createJobRecord(deps, ended, asked.once);
    if (other) return settle(deps, other, untilMs);
    countEndedJob(ended);
    await storeCachedStream(deps, ended, known);
    return { id: ended.id, ended: known.resultJson === undefined ? ended : { ...ended, resultJson: known.resultJson } };
  }
  const job = createClaimedJob(prepared, nowMs(), worker);
  const { runner, build, params, paramTypes, preprocessor, dedicated } = runnable;
  const what: Executable = { runner, artefact: build, params, paramTypes, preprocessor, dedicated };
  // Signing takes as long as the record's write, and nothing is said to the runner before that.
  const [other, first] = await Promise.all([createJobRecord(deps, job, asked.once), buildRunnerRequest(deps, job, what, asked.args)]);
  return settle(deps, other ?? job, untilMs, other ? undefined : invokeRunner(deps, job, what, asked.args, first));
}

/** Waits until the deadline for a run of this process, or for that of an equal call. */
async function settle(deps: RunSyncDeps, { id }: Pick<Job, "id">, untilMs: number, run?: Promise<FinishedJob | undefined>) {
  const ended = run ? await waitForRun(untilMs - deps.nowMs(), run) : "elsewhere";
  // The job was returned to the queue, or another attempt has claimed it: the record will show its end.
  return { id, ended: ended === "elsewhere" ? await waitForEnd(deps, id, untilMs) : ended };
}

/** Invokes a worker for a claimed job. If no worker accepts it, the job is returned to the queue. */
async function callWorker(deps: RunSyncDeps, job: RunningJob, { args }: NewJob): Promise<FinishedJob | undefined> {
  const argsJson = JSON.stringify(args);
  const answer = await deps.functions.work({ running: job, ...(argsJson.length <= CALLED_CHARS ? { argsJson } : {}) });
  if (answer !== "refused") return answer ?? undefined;
  if (await releaseJob(deps, job)) await sendJob(deps, job);
  return undefined;
}

/** Runs a flow and waits for its end, or for the step after which its callers are answered. Throws as `runSync` does. */
export async function runFlowSync(deps: RunSyncDeps, asked: NewJob, limitMs: number): Promise<SyncResult> {
  const untilMs = deps.nowMs() + limitMs;
  const { id } = await enqueueJob(deps, asked);
  return flowAnswer(deps, asked.actor, id, untilMs, limitMs);
}

async function flowAnswer(deps: RunSyncDeps, reader: Actor, id: string, untilMs: number, limitMs: number): Promise<SyncResult> {
  const job = await waitForJobState(deps, id, untilMs, (now) => hasEnded(now) || now.early !== undefined);
  if (job && hasEnded(job)) return answer(deps, reader, job);
  if (!job?.early) throw new SvcError("job.syncTimeout", { id, limitMs });
  const { of, place, shown } = job.early;
  const json = await loadValue(deps, { id: of }, reader.kind === "job" ? place : (shown ?? place));
  if (Buffer.byteLength(json) > limits.syncReplyBytes / 2) throw new SvcError("job.syncTimeout", { id, limitMs });
  return { id, state: "succeeded", cached: false, resultJson: json };
}

/** The answer of a job that an equal call has started: joins its wait. Throws `job.syncTimeout` and `job.erased`. */
export async function joinRun(deps: RunSyncDeps, reader: Actor, job: Job, limitMs: number): Promise<SyncResult> {
  const ended = hasEnded(job) ? job : await waitForEnd(deps, job.id, deps.nowMs() + limitMs);
  if (!ended) throw new SvcError("job.syncTimeout", { id: job.id, limitMs });
  return answer(deps, reader, ended);
}

/** The arguments in which references stand for something. */
const references = ({ args, preprocess }: NewJob) => (preprocess ? splitEvent(args).others : args);

/** The run's end if it comes in time. A run that lasts longer goes on; its runner reports its end itself. */
async function waitForRun(ms: number, run: Promise<FinishedJob | undefined>): Promise<FinishedJob | "elsewhere" | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.max(ms, 0));
  });
  try {
    return await Promise.race([run.then((ended) => ended ?? ("elsewhere" as const)), late]);
  } finally {
    clearTimeout(timer);
    // A run that ends after the deadline ends in its record; its attempt is given up and repeated there.
    run.catch((error: unknown) => reportFailure("A run failed after its caller's deadline", error));
  }
}

/** Throws `job.erased` when an equal call has had the only answer. */
async function answer(deps: InvokeRunnerDeps, reader: Actor, ended: FinishedJob): Promise<SyncResult> {
  const erased = new SvcError("job.erased", { id: ended.id });
  if (ended.erased) throw erased;
  try {
    return await read(deps, reader, ended);
  } catch (error) {
    // It may have been erased between the look at the record and the reading.
    const now = await deps.jobs.get(ended.id);
    throw now && hasEnded(now) && now.erased ? erased : error;
  }
}

async function read({ jobs, storage }: InvokeRunnerDeps, reader: Actor, ended: FinishedJob): Promise<SyncResult> {
  const { id, state } = ended;
  const cached = ended.cachedFrom !== undefined;
  const result = resultVisibleTo(reader, ended);
  const resultJson = result === ended.result ? ended.resultJson : undefined;
  const bytes = result.in === "s3" ? (result.bytes ?? 0) : 0;
  const text = bytes > limits.syncReplyBytes ? undefined : (resultJson ?? (await loadValue({ jobs, storage }, ended, result)));
  if (result.in !== "s3" || (text !== undefined && fitsReply(text, bytes))) return { id, state, cached, resultJson: text };
  return { id, state, cached, stored: { s3: result.key, url: await storage.readUrl(result.key, LINK_S), size: bytes }, linkS: LINK_S };
}

/** A reply travels as a text in JSON: each quotation mark and backslash of the result costs two bytes there, so a small one need not be counted. */
function fitsReply(json: string, bytes: number): boolean {
  return bytes <= limits.syncReplyBytes / 2 || Buffer.byteLength(JSON.stringify(json)) <= limits.syncReplyBytes;
}
