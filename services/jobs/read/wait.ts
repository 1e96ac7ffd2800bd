import type { JobTable } from "../../../aws/dynamodb/job-table.ts";
import { type EndedJob, hasEnded, type Job } from "../../../core/jobs/job.ts";

/** How long to wait before the next look, by how long the caller has waited already: a quick end is seen quickly. */
function pollMs(waitedMs: number): number {
  if (waitedMs < 1000) return 20;
  return waitedMs < 5000 ? 50 : 100;
}

/** Reads a job's head until it has ended; `undefined` at the deadline, or when the job is gone. */
export async function waitForEnd(
  { jobs, nowMs }: { jobs: Pick<JobTable, "get">; nowMs: () => number },
  id: string,
  untilMs: number,
): Promise<EndedJob | undefined> {
  const job = await waitForJobState({ jobs, nowMs }, id, untilMs, hasEnded);
  return job && hasEnded(job) ? job : undefined;
}

/** The same for something else that shows in the head. */
export async function waitForJobState(
  { jobs, nowMs }: { jobs: Pick<JobTable, "get">; nowMs: () => number },
  id: string,
  untilMs: number,
  isThere: (job: Job) => boolean,
): Promise<Job | undefined> {
  const fromMs = nowMs();
  for (;;) {
    const job = await jobs.get(id);
    if (!job) return undefined;
    if (isThere(job)) return job;
    const now = nowMs();
    if (now >= untilMs) return undefined;
    await new Promise((resolve) => setTimeout(resolve, Math.min(pollMs(now - fromMs), untilMs - now)));
  }
}
