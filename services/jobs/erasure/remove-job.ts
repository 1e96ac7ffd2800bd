import type { Job } from "../../../core/jobs/job.ts";
import { jobPrefix, type ValueDeps } from "../values/values.ts";
import type { EraseJobDeps } from "./job-data.ts";

export type RemoveJobDeps = ValueDeps & Pick<EraseJobDeps, "jobData">;

/** Removes a job with all its data. The head, by which the job is found, is removed last. */
export async function removeJob(deps: RemoveJobDeps, job: Job): Promise<void> {
  const { jobs, storage, jobData } = deps;
  for (const owner of jobData) await owner.remove?.(deps, job);
  await storage.deletePrefix(jobPrefix(job));
  for (const child of await jobs.listChildren(job.id, "")) if (child.ref !== "job") await jobs.deleteItem(job.id, child.ref);
  await jobs.deleteItem(job.id, "job");
}
