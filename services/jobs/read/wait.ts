import type { JobTable } from "../../../aws/dynamodb/job-table.ts";
import { type EndedJob, hasEnded, type Job } from "../../../core/jobs/job.ts";

/** Returns the time until the next check, by how long the caller has waited: a job that ends quickly is noticed quickly. */
function pollMs(waitedMs: number): number {
  if (waitedMs < 1000) return 20;
  return waitedMs < 5000 ? 50 : 100;
}

/** Waits until a job has ended or until `untilMs` (epoch ms). Returns `undefined` at the deadline, or if the job does not exist. */
export async function waitForEnd(
  { jobs, nowMs }: { jobs: Pick<JobTable, "get">; nowMs: () => number },
  id: string,
  untilMs: number,
): Promise<EndedJob | undefined> {
  const job = await waitForJobState({ jobs, nowMs }, id, untilMs, hasEnded);
  return job && hasEnded(job) ? job : undefined;
}

/**
 * Waits until a job's head satisfies a condition or until `untilMs` (epoch ms). Returns `undefined` at the deadline, or if the job does not
 * exist.
 */
export async function waitForJobState(
  { jobs, nowMs }: { jobs: Pick<JobTable, "get">; nowMs: () => number },
  id: string,
  untilMs: number,
  isReached: (job: Job) => boolean,
): Promise<Job | undefined> {
  const fromMs = nowMs();
  for (;;) {
    const job = await jobs.get(id);
    if (!job) return undefined;
    if (isReached(job)) return job;
    const now = nowMs();
    if (now >= untilMs) return undefined;
    await new Promise((resolve) => setTimeout(resolve, Math.min(pollMs(now - fromMs), untilMs - now)));
  }
}
