import type { RunningJob } from "../../core/jobs/job.ts";
import { failedEnding } from "../../core/jobs/lifecycle.ts";
import { endJob, type FinishedJob, type FinishJobDeps } from "../jobs/lifecycle/finish.ts";

/** Ends a job of a kind that the API names but this service does not run. */
export function refuseJob(deps: FinishJobDeps, job: RunningJob): Promise<FinishedJob | undefined> {
  return endJob(deps, job, failedEnding({ name: "NotSupported", message: `Jobs of kind ${job.kind} are not supported yet.` }));
}
