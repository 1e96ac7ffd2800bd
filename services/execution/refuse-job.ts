import type { RunningJob } from "../../core/jobs/job.ts";
import { failure } from "../../core/jobs/lifecycle.ts";
import { endWith, type FinishJobDeps, type JustEnded } from "../jobs/lifecycle/finish.ts";

/** Ends a job of a kind that the API names but this service does not run. */
export function refuseJob(deps: FinishJobDeps, job: RunningJob): Promise<JustEnded | undefined> {
  return endWith(deps, job, failure({ name: "NotSupported", message: `Jobs of kind ${job.kind} are not supported yet.` }));
}
