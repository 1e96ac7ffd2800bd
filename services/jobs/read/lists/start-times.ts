import { toIsoTime } from "../../../../contract/utilities/iso-time.ts";
import type { Uses } from "../../../uses.ts";
import { createVisibilityFilter, type JobCaller } from "../read.ts";

/** Returns the start times of jobs in the order of their ids; `null` for a job that has not started or that the caller may not see. */
export async function listStartTimes(
  { jobs }: Uses<"jobs">,
  caller: JobCaller,
  workspace: string,
  ids: string[],
): Promise<(string | null)[]> {
  const found = new Map((await jobs.batchGet(ids)).map((job) => [job.id, job]));
  const isVisible = createVisibilityFilter(caller);
  return ids.map((id) => {
    const job = found.get(id);
    if (job?.workspace !== workspace || !isVisible(job) || job.state === "queued" || job.startedAtMs === undefined) return null;
    return toIsoTime(job.startedAtMs);
  });
}
