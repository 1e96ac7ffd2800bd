import type { RunningJob } from "../../../core/jobs/record/job.ts";
import { failedEnding } from "../../../core/jobs/record/lifecycle.ts";
import { decideEnd, type JobEnding } from "./job-ending.ts";

/** Returns the end of a job whose kind exists in the API but is not supported by this service. */
export async function refuseJob(job: RunningJob): Promise<JobEnding> {
  return decideEnd(job, failedEnding({ name: "NotSupported", message: `Jobs of kind ${job.kind} are not supported yet.` }));
}
