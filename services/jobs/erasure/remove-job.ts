import { type DataOwner, objectPrefix } from "../../../core/jobs/record/retention.ts";
import type { Uses } from "../../uses.ts";

/** The number of items that are read, and then deleted, concurrently. */
const AT_ONCE = 25;

/** Removes a job with all its data. The head, by which the job is found, is removed last. */
export async function removeJob(deps: Uses<"jobData" | "jobs" | "storage">, job: DataOwner): Promise<void> {
  await removeJobData(deps, job);
  await deps.jobs.deleteItem(job.id, "job");
}

/** Removes the data of a job, but not its head. Idempotent. */
export async function removeJobData(deps: Uses<"jobData" | "jobs" | "storage">, job: DataOwner): Promise<void> {
  const { jobs, storage, jobData } = deps;
  for (const owner of jobData) await owner.remove?.(deps, job);
  await storage.deletePrefix(objectPrefix(job));
  // A long flow has thousands of items, so they are not all read at once.
  for (let left = true; left; ) {
    const refs = (await jobs.listChildren(job.id, "", AT_ONCE)).map(({ ref }) => ref).filter((ref) => ref !== "job");
    await Promise.all(refs.map((ref) => jobs.deleteItem(job.id, ref)));
    left = refs.length > 0;
  }
}
