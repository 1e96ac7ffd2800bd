import type { HeadChange } from "../../../../aws/dynamodb/job-items.ts";
import type { EndedJob, EndState, Job } from "../../../../core/jobs/record/job.ts";
import type { EndedJobWithResult, Ending } from "../../../../core/jobs/record/lifecycle.ts";
import type { ValueRef } from "../../../../core/jobs/record/value-ref.ts";
import type { Uses } from "../../../uses.ts";
import type { CachedResult } from "../../cache/cache.ts";
import { announceEnd } from "../follow-ups.ts";
import { commitEnd } from "./commit-end.ts";
import { stageCached, stageCopy, stageEnding } from "./stage-ending.ts";
import type { StagedEnd } from "./staged-end.ts";

export type EndJobDeps = Uses<"followUps" | "jobs" | "storage" | "nowMs" | "pause" | "maxRetryMs">;

/**
 * Ends a job without a report: canceled while it waited or ran, finally lost, or refused before its code ran. Later output of its runner is
 * stored under other names, so it changes no value of this end. `fields` are further fields of its record. Returns `undefined` if the job has
 * changed since it was read.
 */
export async function endJob(deps: EndJobDeps, job: Job, ending: Ending, fields: HeadChange = {}): Promise<EndedJob | undefined> {
  return completeEnd(deps, job, await stageEnding(deps, job, ending, fields));
}

/** Ends a job with the result of an earlier run instead of running it. */
export async function endJobFromCache(deps: EndJobDeps, job: Job, cached: CachedResult): Promise<EndedJob | undefined> {
  return completeEnd(deps, job, await stageCached(deps, job, cached));
}

/** Ends a job with its own stored value or that of another job. */
export async function endJobWithValue(deps: EndJobDeps, job: Job, state: EndState, value: ValueRef): Promise<EndedJob | undefined> {
  return completeEnd(deps, job, await stageCopy(deps, job, state, value));
}

/** Ends a job whose values are stored, and starts its follow-ups. */
export async function completeEnd(deps: EndJobDeps, job: Job, end: StagedEnd): Promise<EndedJobWithResult | undefined> {
  const ended = await commitEnd(deps, job, end);
  if (!ended) return undefined;
  await announceEnd(deps, ended);
  return end.resultJson === undefined ? ended : { ...ended, resultJson: end.resultJson };
}
