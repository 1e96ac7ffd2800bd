import { isSvcError } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import { listJobIds } from "../read/list.ts";
import { createVisibilityFilter, type JobCaller } from "../read/read.ts";
import { type CancelJobDeps, type Cancellation, cancelJob } from "./cancel-job.ts";

/** The number of jobs that `cancelJobsOfPath` cancels in one call. */
const MAX_AT_ONCE = 1000;

/** Cancels the jobs of the script at a path that have not ended and that the caller may cancel, and returns their ids. */
export async function cancelJobsOfPath(
  deps: CancelJobDeps & Parameters<typeof listJobIds>[0],
  caller: JobCaller,
  { workspace, path }: { workspace: string; path: string },
  cancellation: Cancellation,
): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const query = { script_path_exact: path, cursor, per_page: limits.maxPerPage };
    const found = await listJobIds(deps, caller, { workspace, query, scope: "queue" });
    ids.push(...found.entries);
    cursor = found.next;
  } while (cursor !== undefined && ids.length < MAX_AT_ONCE);
  return cancelSelectedJobs(deps, caller, { workspace, ids }, cancellation);
}

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
