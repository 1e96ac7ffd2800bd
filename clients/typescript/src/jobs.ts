import { ApiError, answerOf, call, jobVariable, ownJob, pathPart, send } from "./connection.ts";

/** The error of a failed job. */
export interface JobFailure {
  name: string;
  message: string;
  stack?: string;
}

/** Thrown by functions that wait for a job if it fails or is canceled. */
export class JobError extends Error {
  override readonly name = "JobError";
  readonly jobId: string;
  readonly error: JobFailure;

  constructor(jobId: string, error: JobFailure) {
    super(`Job ${jobId} failed: ${error.name}: ${error.message}`);
    this.jobId = jobId;
    this.error = error;
  }
}

/** `result` is valid once `completed` is true; a failed job has `{error: {name, message, stack?}}`. */
export interface MaybeResult<T = unknown> {
  completed: boolean;
  result: T;
  success?: boolean;
  started?: boolean;
}

type Args = Record<string, unknown> | null;

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;
/** The number of consecutive temporary failures of polls that are tolerated. */
const TRIES = 5;

/**
 * Runs a script and waits for its result. One of `path` and `hash` names it.
 *
 * @param verbose print the id of the job to the log
 * @throws `JobError` if the script fails, `ApiError` if it cannot be run
 */
export async function runScript<T = unknown>(
  path: string | null,
  hash: string | null = null,
  args: Args = null,
  verbose = false,
  tag?: string,
): Promise<T> {
  if (!path === !hash) throw new TypeError("runScript needs either the path or the hash of a script.");
  return path ? await runScriptByPath(path, args, verbose, tag) : await runScriptByHash(hash ?? "", args, verbose, tag);
}

/** Runs the newest version of a script and waits for its result. Throws like `runScript`. */
export async function runScriptByPath<T = unknown>(path: string, args: Args = null, verbose = false, tag?: string): Promise<T> {
  return await runAndWait(`p/${pathPart(path)}`, args, verbose, tag);
}

/** Runs one version of a script, named by its 16 hex digits, and waits for its result. Throws like `runScript`. */
export async function runScriptByHash<T = unknown>(hash: string, args: Args = null, verbose = false, tag?: string): Promise<T> {
  return await runAndWait(`h/${pathPart(hash)}`, args, verbose, tag);
}

/**
 * Runs the newest version of a script without waiting for it.
 *
 * @returns the job's id. If the service rejects the request, this is the error sentence, and nothing is thrown.
 */
export async function runScriptByPathAsync(path: string, args: Args = null, scheduledInSeconds?: number, tag?: string): Promise<string> {
  const query = { ...lineage(), scheduled_in_secs: scheduledInSeconds, tag };
  return await (await send("POST", `jobs/run/p/${pathPart(path)}`, { query, json: args ?? {} })).text();
}

/** Runs one version of a script without waiting for it. Returns and throws like `runScriptByPathAsync`. */
export async function runScriptByHashAsync(hash: string, args: Args = null, scheduledInSeconds?: number, tag?: string): Promise<string> {
  const query = { ...lineage(), scheduled_in_secs: scheduledInSeconds, tag };
  return await (await send("POST", `jobs/run/h/${pathPart(hash)}`, { query, json: args ?? {} })).text();
}

async function runAndWait<T>(target: string, args: Args, verbose: boolean, tag: string | undefined): Promise<T> {
  const id = await (await call("POST", `jobs/run/${target}`, { query: { ...lineage(), tag }, json: args ?? {} })).text();
  if (verbose) console.info(`Running ${decodeURI(target.slice(2))} as job ${id}.`);
  return await waitJob(id);
}

/** A run that a job starts is its child. */
function lineage(): { parent_job: string; root_job: string } {
  return { parent_job: jobVariable("JOB_ID"), root_job: jobVariable("ROOT_FLOW_JOB_ID") };
}

/**
 * Waits for a job to end and returns its result. Polls after 50 ms, then at growing intervals up to 500 ms.
 *
 * @throws `JobError` if the job failed or was canceled
 */
export async function waitJob<T = unknown>(jobId: string): Promise<T> {
  let failures = 0;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      const { completed, success, result } = await getResultMaybe(jobId);
      if (completed && success === false) throw new JobError(jobId, (result as { error: JobFailure }).error);
      if (completed) return result as T;
      failures = 0;
    } catch (error) {
      if (!isTemporary(error) || ++failures >= TRIES) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Returns whether an error is temporary: no connection (`fetch` throws a `TypeError`), too many calls, or a service that is briefly unavailable. */
function isTemporary(error: unknown): boolean {
  return error instanceof ApiError ? error.status === 429 || error.status >= 500 : error instanceof TypeError;
}

/**
 * Returns the result of a completed job; a failed one has `{error: {name, message, stack?}}`.
 *
 * @throws `ApiError` with status 404 while it has not ended
 */
export async function getResult<T = unknown>(jobId: string): Promise<T> {
  return (await answerOf(await call("GET", `jobs_u/completed/get_result/${pathPart(jobId)}`))) as T;
}

/** Returns whether a job has ended and, if it has, its result. */
export async function getResultMaybe<T = unknown>(jobId: string): Promise<MaybeResult<T>> {
  return (await answerOf(await call("GET", `jobs_u/completed/get_result_maybe/${pathPart(jobId)}`))) as MaybeResult<T>;
}

/** Cancels a job: a queued job immediately, a running job within seconds. Returns the confirmation of the service. */
export async function cancelJob(jobId: string, reason?: string): Promise<string> {
  return await (await call("POST", `jobs_u/queue/cancel/${pathPart(jobId)}`, { json: reason ? { reason } : {} })).text();
}

/** Returns the outermost parent of a job, or the job itself if it has none. @param jobId default: the job that runs this code */
export async function getRootJobId(jobId?: string): Promise<string> {
  return String(await answerOf(await call("GET", `jobs_u/get_root_job_id/${pathPart(jobId ?? ownJob())}`)));
}

/**
 * Sets the progress of a job. Progress never decreases.
 *
 * @param percent from 0 to 99: a higher value is sent as 99, because only the end of the job is 100
 * @param jobId default: the job that runs this code
 */
export async function setProgress(percent: number, jobId?: string): Promise<void> {
  let flowJob: unknown = jobVariable("FLOW_JOB_ID");
  if (jobId) {
    const job = (await answerOf(await call("GET", `jobs_u/get/${pathPart(jobId)}`, { query: { no_logs: true } }))) as {
      parent_job?: string;
    };
    flowJob = job.parent_job;
  }
  const json = { percent: Math.max(0, Math.min(99, Math.trunc(percent))), ...(flowJob ? { flow_job_id: flowJob } : {}) };
  await call("POST", `job_metrics/set_progress/${pathPart(jobId ?? ownJob())}`, { json });
}

/** Returns the progress of a job in percent, or `null` if it has not reported any. @param jobId default: the job that runs this code */
export async function getProgress(jobId?: string): Promise<number | null> {
  const percent = await answerOf(await call("GET", `job_metrics/get_progress/${pathPart(jobId ?? ownJob())}`));
  return typeof percent === "number" ? percent : null;
}
