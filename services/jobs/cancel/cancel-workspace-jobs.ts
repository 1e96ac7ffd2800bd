import { isSvcError } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import { hasEnded, SHARDS } from "../../../core/jobs/record/job.ts";
import { type CancelJobDeps, type Cancellation, cancelJob } from "./cancel-job.ts";

/**
 * Cancels all jobs of a workspace that have not ended. A job that was accepted a moment later is canceled by housekeeping. An unreadable job is
 * reported and skipped: it cannot run either.
 */
export async function cancelWorkspaceJobs(deps: CancelJobDeps, workspace: string, cancellation: Cancellation): Promise<void> {
  const { jobs } = deps;
  for (let shard = 0; shard < SHARDS; shard += 1) {
    // Every job that has not ended is in the due index, and so is a flow that may not be stopped yet.
    const due = await jobs.listDue(shard, Number.MAX_SAFE_INTEGER, limits.listScan);
    for (const { id } of due.filter((entry) => entry.workspace === workspace)) {
      const [job] = await jobs.batchGet([id]);
      // The call that canceled the job may have died before it stopped what ran for it. Canceling it again does that.
      if (!job || (hasEnded(job) && !job.stopping)) continue;
      try {
        await cancelJob(deps, job, cancellation);
      } catch (error) {
        if (!isSvcError(error) || !error.code.startsWith("job.")) throw error;
      }
    }
  }
}
