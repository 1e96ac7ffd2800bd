import type { RunningJob } from "../../core/jobs/job.ts";
import { canceled } from "../../core/jobs/lifecycle.ts";
import { holding } from "../jobs/lifecycle/claim.ts";
import { endWith, type FinishJobDeps } from "../jobs/lifecycle/finish.ts";

/**
 * Renews the lease of a job while its build lasts, and returns what the build yields. Returns `undefined` if the job was canceled in
 * between: then it has ended as canceled, whatever the build still does.
 */
export async function buildUnderLease<T>(deps: FinishJobDeps, job: RunningJob, building: Promise<T>): Promise<T | undefined> {
  const stopped = Promise.withResolvers<undefined>();
  const onCancel = ({ cancel = { by: "", reason: "" } }: RunningJob) =>
    void endWith(deps, job, canceled(cancel)).then(() => stopped.resolve(undefined), stopped.reject);
  return Promise.race([holding(deps, job, building, onCancel), stopped.promise]);
}
