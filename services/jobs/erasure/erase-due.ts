import type { EndedJob } from "../../../core/jobs/job.ts";
import { eraseJob } from "./erase-job.ts";
import type { EraseJobDeps } from "./job-data.ts";

/** Erases what is due of an ended job and of the data that other domains store with it, and notes when the next part is due. */
export async function eraseDue(deps: EraseJobDeps, job: EndedJob): Promise<"ended" | "waited"> {
  const { jobs, nowMs, jobData } = deps;
  const { eraseAtMs = Number.POSITIVE_INFINITY } = job;
  if (job.erased || eraseAtMs <= nowMs()) {
    await eraseJob(deps, job);
    return "ended";
  }
  let nextMs = eraseAtMs;
  for (const owner of jobData) nextMs = Math.min(nextMs, (await owner.eraseDue?.(deps, job)) ?? nextMs);
  const { duePartition, dueAtMs } = jobs.cleared;
  await jobs.change(job.id, Number.isFinite(nextMs) ? jobs.dueAt(job.id, nextMs) : { duePartition, dueAtMs }, {
    attr: "state",
    eq: job.state,
  });
  return "waited";
}
