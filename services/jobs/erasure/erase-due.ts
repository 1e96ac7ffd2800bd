import type { EndedJob } from "../../../core/jobs/record/job.ts";
import type { Uses } from "../../uses.ts";
import { nextCheckMs } from "../lifecycle/next-check.ts";
import { eraseJob } from "./erase-job.ts";

/** Erases the parts of an ended job that are due, including data of other domains, and schedules the next part. */
export async function eraseDue(deps: Uses<"jobData" | "jobs" | "storage" | "nowMs">, job: EndedJob): Promise<"ended" | "waited"> {
  const { jobs, nowMs, jobData } = deps;
  const { eraseAtMs = Number.POSITIVE_INFINITY } = job;
  if (job.erased || eraseAtMs <= nowMs()) {
    await eraseJob(deps, job);
    return "ended";
  }
  let nextMs = Math.min(eraseAtMs, nextCheckMs(job, nowMs()));
  for (const owner of jobData) nextMs = Math.min(nextMs, (await owner.eraseDue?.(deps, job)) ?? nextMs);
  await jobs.update(job.id, Number.isFinite(nextMs) ? jobs.dueAt(job.id, nextMs) : jobs.noLongerDue(job, job.state), {
    attr: "state",
    eq: job.state,
  });
  return "waited";
}
