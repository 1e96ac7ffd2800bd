import { isSvcError } from "../../../contract/errors.ts";
import { createVisibilityFilter, type JobCaller } from "../read/read.ts";
import { type CancelJobDeps, type Cancellation, cancelJob } from "./cancel-job.ts";

/** Cancels the jobs with these ids that the caller may cancel and that have not ended, and returns the ids of the canceled jobs. */
export async function cancelSelectedJobs(
  deps: CancelJobDeps,
  caller: JobCaller,
  { workspace, ids }: { workspace: string; ids: string[] },
  cancellation: Cancellation,
): Promise<string[]> {
  const isVisible = createVisibilityFilter(caller);
  const found = (await deps.jobs.batchGet(ids)).filter((job) => job.workspace === workspace && isVisible(job));
  const canceled: string[] = [];
  for (const job of found) {
    try {
      await cancelJob(deps, job, cancellation);
      canceled.push(job.id);
    } catch (error) {
      if (!isSvcError(error) || error.code !== "job.ended") throw error;
    }
  }
  return canceled;
}
