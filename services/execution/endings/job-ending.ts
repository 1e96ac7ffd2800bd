import type { HeadChange } from "../../../aws/dynamodb/job-items.ts";
import { type EndedJob, hasEnded, type Job, type RunningJob } from "../../../core/jobs/record/job.ts";
import type { EndedJobWithResult, Ending } from "../../../core/jobs/record/lifecycle.ts";
import type { NextOutcome } from "../../../runners/protocol.ts";
import type { CachedResult } from "../../jobs/cache/cache.ts";
import type { RunReport } from "../../jobs/lifecycle/end/end-reported-job.ts";
import type { Uses } from "../../uses.ts";

/** Records the runs that followed the first one in the same call of a runner. */
export interface BatchRecorder {
  /** `ended` is the first run, whose token all of them used. */
  recordOutcomes(outcomes: readonly NextOutcome[], ended: EndedJobWithResult, token: string): Promise<void>;
}

/** The result of executing a claimed job. It writes nothing: `endExecutedJob` ends the job with it. */
export type JobEnding =
  /** The executor determined the end without a report. `fields` are further fields of the job's record. */
  | { by: "executor"; job: RunningJob; ending: Ending; fields?: HeadChange }
  /** The runner of an attempt has reported the end. */
  | { by: "runner"; job: RunningJob; report: RunReport; batch?: BatchRecorder | undefined }
  /** An equal run has a recent result. */
  | { by: "earlierRun"; job: RunningJob; cached: CachedResult }
  /** Another process has recorded the end. */
  | { by: "otherProcess"; ended: EndedJob };

export const decideEnd = (job: RunningJob, ending: Ending, fields: HeadChange = {}): JobEnding => ({
  by: "executor",
  job,
  ending,
  fields,
});

/** Returns the end that another process has recorded; `undefined` for a job that has not ended. */
export const toRecordedEnding = (job: Job | undefined): JobEnding | undefined =>
  job && hasEnded(job) ? { by: "otherProcess", ended: job } : undefined;

/** Loads the end of a job whose runner may have reported it to another function. */
export const loadRecordedEnding = async ({ jobs }: Uses<"jobs">, id: string): Promise<JobEnding | undefined> =>
  toRecordedEnding(await jobs.get(id));
