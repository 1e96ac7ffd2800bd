import { SvcError } from "../../../contract/errors.ts";
import { toIsoTime } from "../../../contract/iso-time.ts";
import { getStartMs, hasEnded, isSuccess, type Job, PEOPLE, resultVisibleTo } from "../../../core/jobs/job.ts";
import { loadJson, loadValue, type ValueDeps } from "../values/values.ts";
import { findEndedJob, findJob, type JobAddress, type JobCaller } from "./read.ts";

/** The reader of a result: a caller with a token, or the holder of a link that lets its holder read the job `linked`. */
export type ResultReader = JobCaller | { linked: Job };

/**
 * Returns the JSON text of a job's result. The holder of a link receives the redacted result, as every person does. Throws `job.notFound`
 * and `job.notFinished`.
 */
export async function loadResult(deps: ValueDeps, reader: ResultReader, address: JobAddress): Promise<string> {
  if (!("linked" in reader)) {
    const job = await findEndedJob(deps, reader, address);
    return loadValue(deps, job, resultVisibleTo(reader.actor, job));
  }
  const { linked } = reader;
  if (!hasEnded(linked)) throw new SvcError("job.notFinished", { id: linked.id });
  return loadValue(deps, linked, resultVisibleTo(PEOPLE, linked));
}

/** The reply of `get_result_maybe`. `result` is null until the job ends; `success` is absent until then. */
export interface ResultIfEnded {
  completed: boolean;
  result: unknown;
  success?: boolean;
  started?: boolean;
}

/** Returns a job's result if it has ended, and with `withStarted` whether it has started. Throws `job.notFound`. */
export async function loadResultIfEnded(
  deps: ValueDeps,
  caller: JobCaller,
  address: JobAddress,
  { withStarted }: { withStarted: boolean },
): Promise<ResultIfEnded> {
  const job = await findJob(deps, caller, address);
  const started = withStarted ? { started: job.state !== "queued" } : {};
  if (!hasEnded(job)) return { completed: false, result: null, ...started };
  return { completed: true, result: await loadJson(deps, job, resultVisibleTo(caller.actor, job)), success: isSuccess(job), ...started };
}

/** The times of a job that has ended. */
export interface JobTiming {
  created_at: string;
  started_at: string;
  duration_ms: number;
}

/** Returns when a job was created and started, and its duration. Throws `job.notFound` and `job.notFinished`. */
export async function getTiming(deps: Pick<ValueDeps, "jobs">, caller: JobCaller, address: JobAddress): Promise<JobTiming> {
  const job = await findEndedJob(deps, caller, address);
  const startMs = getStartMs(job);
  return { created_at: toIsoTime(job.createdAtMs), started_at: toIsoTime(startMs), duration_ms: job.endedAtMs - startMs };
}
