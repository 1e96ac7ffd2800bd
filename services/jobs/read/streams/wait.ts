import { setTimeout as sleep } from "node:timers/promises";
import { type EndedJob, hasEnded, type Job } from "../../../../core/jobs/record/job.ts";
import type { Uses } from "../../../uses.ts";

/** Returns the time until the next check, by how long the caller has waited: a job that ends quickly is noticed quickly. */
function pollMs(waitedMs: number): number {
  if (waitedMs < 1000) return 20;
  return waitedMs < 5000 ? 50 : 100;
}

/** Waits until a job has ended or until `untilMs` (epoch ms). Returns `undefined` at the deadline, or if the job does not exist. */
export async function waitForEnd(deps: Uses<"jobs" | "nowMs" | "pause">, id: string, untilMs: number): Promise<EndedJob | undefined> {
  const job = await waitForJobState(deps, id, untilMs, hasEnded);
  return job && hasEnded(job) ? job : undefined;
}

/**
 * Waits until a job's head satisfies a condition or until `untilMs` (epoch ms). Returns `undefined` at the deadline, or if the job does not
 * exist.
 */
export async function waitForJobState(
  { jobs, nowMs, pause = sleep }: Uses<"jobs" | "nowMs" | "pause">,
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
    await pause(Math.min(pollMs(now - fromMs), untilMs - now));
  }
}
