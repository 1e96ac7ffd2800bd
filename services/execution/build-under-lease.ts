import type { RunningJob } from "../../core/jobs/job.ts";
import { canceledEnding } from "../../core/jobs/lifecycle.ts";
import { renewLeaseDuring } from "../jobs/lifecycle/claim.ts";
import { type EndJobDeps, endJob } from "../jobs/lifecycle/end/end-job.ts";

/**
 * Renews the lease of a job while its build runs, and returns the build's result. Returns `undefined` if the job was canceled: the job then
 * ends as canceled, and the build's result is discarded.
 */
export async function buildUnderLease<T>(deps: EndJobDeps, job: RunningJob, building: Promise<T>): Promise<T | undefined> {
  const stopped = Promise.withResolvers<undefined>();
  const onCancel = ({ cancel = { by: "", reason: "" } }: RunningJob) =>
    void endJob(deps, job, canceledEnding(cancel)).then(() => stopped.resolve(undefined), stopped.reject);
  return Promise.race([renewLeaseDuring(deps, job, building, { onCancel }), stopped.promise]);
}
