import { SvcError } from "../../../contract/errors.ts";
import { toIsoTime } from "../../../contract/utilities/iso-time.ts";
import { getStartMs, hasEnded, isSuccess, type Job, PEOPLE, resultVisibleTo } from "../../../core/jobs/record/job.ts";
import type { Uses } from "../../uses.ts";
import { loadJson, loadValue } from "../values/values.ts";
import { findEndedJob, findJob, type JobAddress, type JobCaller } from "./read.ts";

/** The reader of a result: a caller with a token, or the holder of a link that lets its holder read the job `linked`. */
export type ResultReader = JobCaller | { linked: Job };

/**
 * Returns the JSON text of a job's result. The holder of a link receives the redacted result, as every person does. Throws `job.notFound`
 * and `job.notFinished`.
 */
export async function loadResult(deps: Uses<"jobs" | "storage">, reader: ResultReader, address: JobAddress): Promise<string> {
  if (!("linked" in reader)) {
    const job = await findEndedJob(deps, reader, address);
    return loadValue(deps, job, resultVisibleTo(reader.actor, job));
  }
  const { linked } = reader;
  if (!hasEnded(linked)) throw new SvcError("job.notFinished", { id: linked.id });
  return loadValue(deps, linked, resultVisibleTo(PEOPLE, linked));
}

/** The reply of `get_result_maybe`. Every field is always present: `result` and `success` are null until the job ends. */
export interface ResultIfEnded {
  started: boolean;
  completed: boolean;
  success: boolean | null;
  result: unknown;
}

/** Returns whether a job has started and, if it has ended, its result. Throws `job.notFound`. */
export async function loadResultIfEnded(deps: Uses<"jobs" | "storage">, caller: JobCaller, address: JobAddress): Promise<ResultIfEnded> {
  const job = await findJob(deps, caller, address);
  if (!hasEnded(job)) return { started: job.state !== "queued", completed: false, success: null, result: null };
  const result = await loadJson(deps, job, resultVisibleTo(caller.actor, job));
  return { started: true, completed: true, success: isSuccess(job), result };
}

/** The times of a job that has ended. */
export interface JobTiming {
  created_at: string;
  started_at: string;
  duration_ms: number;
}

/** Returns the times of creation and start of a job, and its duration. Throws `job.notFound` and `job.notFinished`. */
export async function getTiming(deps: Uses<"jobs">, caller: JobCaller, address: JobAddress): Promise<JobTiming> {
  const job = await findEndedJob(deps, caller, address);
  const startMs = getStartMs(job);
  return { created_at: toIsoTime(job.createdAtMs), started_at: toIsoTime(startMs), duration_ms: job.endedAtMs - startMs };
}
