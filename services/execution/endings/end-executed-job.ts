import { isBusyError } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import { assertNever } from "../../../contract/utilities/assert-never.ts";
import type { RunningJob } from "../../../core/jobs/record/job.ts";
import type { EndedJobWithResult } from "../../../core/jobs/record/lifecycle.ts";
import { renewLeaseDuring } from "../../jobs/lifecycle/claim.ts";
import { type EndJobDeps, endJob, endJobFromCache } from "../../jobs/lifecycle/end/end-job.ts";
import { endReportedJob } from "../../jobs/lifecycle/end/end-reported-job.ts";
import { requestFollowUp } from "../../jobs/lifecycle/follow-ups.ts";
import { retryWhileBusy } from "../../jobs/lifecycle/retry-while-busy.ts";
import { type JobEnding, loadRecordedEnding } from "./job-ending.ts";

/** Ends a job with the result of its executor. Returns the ended job, or `undefined` if the job continues elsewhere. */
export async function endExecutedJob(deps: EndJobDeps, ending: JobEnding | undefined): Promise<EndedJobWithResult | undefined> {
  if (!ending) return undefined;
  switch (ending.by) {
    case "executor":
      return endJob(deps, ending.job, ending.ending, ending.fields);
    case "earlierRun":
      return endJobFromCache(deps, ending.job, ending.cached);
    case "runner":
      return endWithReport(deps, ending);
    case "otherProcess":
      // The process that recorded the end may not queue the follow-ups.
      await requestFollowUp(deps, ending.ended);
      return ending.ended;
    default:
      return assertNever(ending);
  }
}

async function endWithReport(
  deps: EndJobDeps,
  { job, report, batch }: Extract<JobEnding, { by: "runner" }>,
): Promise<EndedJobWithResult | undefined> {
  const ended = await recordUnderLease(deps, job, () => endReportedJob(deps, job, report));
  if (!ended) return endExecutedJob(deps, await loadRecordedEnding(deps, job.id));
  const { next } = report.outcome;
  if (next) await recordUnderLease(deps, job, async () => batch?.recordOutcomes(next, ended, report.token));
  return ended;
}

/**
 * Records the outcome of a run. While AWS refuses the write, the lease is renewed and the write is retried, because another attempt would repeat
 * the effects of the run. If it fails for minutes, the attempt counts as lost, and the function throws.
 */
async function recordUnderLease<T>(deps: EndJobDeps, job: RunningJob, record: () => Promise<T>): Promise<T> {
  const recording = retryWhileBusy(deps, record, limits.busyEndRetryMs);
  try {
    return await renewLeaseDuring(deps, job, recording);
  } catch (cause) {
    throw isBusyError(cause) ? new Error(`The end of job ${job.id} could not be recorded.`, { cause }) : cause;
  }
}
