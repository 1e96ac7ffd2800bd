import type { RunningJob } from "../../core/jobs/job.ts";
import { canceledEnding } from "../../core/jobs/lifecycle.ts";
import { renewLeaseDuring } from "../jobs/lifecycle/claim.ts";
import { endJob, type FinishJobDeps } from "../jobs/lifecycle/finish.ts";

/**
 * Renews the lease of a job while its build lasts, and returns what the build yields. Returns `undefined` if the job was canceled in
 * between: then it has ended as canceled, whatever the build still does.
 */
export async function buildUnderLease<T>(deps: FinishJobDeps, job: RunningJob, building: Promise<T>): Promise<T | undefined> {
  const stopped = Promise.withResolvers<undefined>();
  const onCancel = ({ cancel = { by: "", reason: "" } }: RunningJob) =>
    void endJob(deps, job, canceledEnding(cancel)).then(() => stopped.resolve(undefined), stopped.reject);
  return Promise.race([renewLeaseDuring(deps, job, building, onCancel), stopped.promise]);
}
