import pMap from "p-map";
import { isSvcError } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import type { Job } from "../../../core/jobs/record/job.ts";
import type { Uses } from "../../uses.ts";
import { listJobIds } from "../read/lists/list.ts";
import { createVisibilityFilter, type JobCaller } from "../read/read.ts";
import { type CancelJobDeps, type Cancellation, cancelJob } from "./cancel-job.ts";

/** The time after which `cancelJobsOfPath` begins no further page. The function ends after 30 s. */
const MOST_MS = 15_000;
/** The number of jobs that are canceled concurrently. */
const AT_ONCE = 10;

/**
 * Cancels the jobs of the script or flow at a path that have not ended and that the caller may cancel. Returns their number, and whether there was no time for all of
 * them: then another call continues.
 */
export async function cancelJobsOfPath(
  deps: Uses<"followUps" | "onJobCanceled" | "jobs" | "objects" | "storage" | "concurrency" | "queue" | "nowMs" | "pause" | "maxRetryMs">,
  caller: JobCaller,
  { workspace, path }: { workspace: string; path: string },
  cancellation: Cancellation,
): Promise<{ canceled: number; hasMore: boolean }> {
  const untilMs = deps.nowMs() + MOST_MS;
  let canceled = 0;
  let cursor: string | undefined;
  do {
    const query = { script_path_exact: path, cursor, per_page: limits.maxPerPage };
    const found = await listJobIds(deps, caller, { workspace, query, scope: "queue" });
    canceled += (await cancelSelectedJobs(deps, caller, { workspace, ids: found.entries }, cancellation)).length;
    cursor = found.next;
  } while (cursor !== undefined && deps.nowMs() < untilMs);
  return { canceled, hasMore: cursor !== undefined };
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
  const cancelUnlessEnded = async (job: Job) => {
    try {
      await cancelJob(deps, job, cancellation);
      canceled.push(job.id);
    } catch (error) {
      if (!isSvcError(error) || error.code !== "job.ended") throw error;
    }
  };
  await pMap(found, cancelUnlessEnded, { concurrency: AT_ONCE });
  return canceled;
}
