import type { RunningJob } from "../../core/jobs/job.ts";
import { type EndedJobWithResult, failedEnding } from "../../core/jobs/lifecycle.ts";
import { type EndJobDeps, endJob } from "../jobs/lifecycle/end/end-job.ts";

/** Ends a job of a kind that the API names but this service does not run. */
export function refuseJob(deps: EndJobDeps, job: RunningJob): Promise<EndedJobWithResult | undefined> {
  return endJob(deps, job, failedEnding({ name: "NotSupported", message: `Jobs of kind ${job.kind} are not supported yet.` }));
}
