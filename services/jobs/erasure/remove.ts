import type { Job } from "../../../core/jobs/job.ts";
import { removeGates } from "../../approvals/gates/remove-gates.ts";
import { jobPrefix, type ValueDeps } from "../values/values.ts";

/** Removes a job with all that it kept; the head, by which it is found, goes last. */
export async function removeJob({ jobs, storage }: ValueDeps, job: Job): Promise<void> {
  await removeGates({ jobs, storage }, job);
  await storage.removePrefix(jobPrefix(job));
  for (const child of await jobs.children(job.id, "")) if (child.ref !== "job") await jobs.deleteItem(job.id, child.ref);
  await jobs.deleteItem(job.id, "job");
}
