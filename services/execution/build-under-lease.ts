import type { RunningJob } from "../../core/jobs/record/job.ts";
import { canceledEnding, type Ending } from "../../core/jobs/record/lifecycle.ts";
import { renewLeaseDuring } from "../jobs/lifecycle/claim.ts";
import type { Uses } from "../uses.ts";

/**
 * Renews the lease of a job while its build runs, and returns the build's result. If the job is canceled, returns that end at once, and the
 * build's result is discarded.
 */
export async function buildUnderLease<T>(deps: Uses<"jobs" | "nowMs">, job: RunningJob, building: Promise<T>): Promise<T | Ending> {
  const canceled = Promise.withResolvers<Ending>();
  const onCancel = ({ cancel = { by: "", reason: "" } }: RunningJob) => canceled.resolve(canceledEnding(cancel));
  return Promise.race([renewLeaseDuring(deps, job, building, { onCancel }), canceled.promise]);
}
