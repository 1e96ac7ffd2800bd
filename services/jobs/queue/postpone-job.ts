import { limits } from "../../../contract/limits.ts";
import { computeBackoffMs } from "../../../core/jobs/backoff.ts";
import type { RunningJob } from "../../../core/jobs/record/job.ts";
import { firstDueMs, type JobMessage } from "../../../core/jobs/record/lifecycle.ts";
import { countOutcome } from "../../../core/telemetry/telemetry.ts";
import type { Uses } from "../../uses.ts";

const delayAfter = (delays = 0) =>
  computeBackoffMs(delays, { firstMs: limits.firstPostponementMs, maxMs: limits.maxPostponementMs }, Math.random());
const toSeconds = (ms: number) => Math.ceil(ms / 1000);

/**
 * Returns a claimed job to the queue because AWS refused a call, with a delay that grows each time. Neither an attempt nor a loss is counted. The
 * number of delays is part of the write that releases the claim. Does nothing if this attempt no longer owns the job.
 */
export async function postponeJob({ jobs, queue, nowMs }: Uses<"jobs" | "queue" | "nowMs">, job: RunningJob): Promise<void> {
  const delayMs = delayAfter(job.delays);
  const now = nowMs();
  const { nonce, leaseUntilMs } = jobs.cleared;
  const released = await jobs.update(
    job.id,
    {
      state: "queued",
      nonce,
      leaseUntilMs,
      attempt: jobs.oneLess,
      delays: jobs.oneMore,
      // Otherwise housekeeping would send the job before its delay is over.
      ...jobs.dueAt(job.id, firstDueMs(now, now + delayMs)),
    },
    {
      and: [
        { attr: "state", eq: "running" },
        { attr: "nonce", eq: job.nonce },
      ],
    },
  );
  if (!released) return;
  countOutcome("Postponements");
  await queue.sendMessage(released, toSeconds(delayMs));
}

/**
 * Sends the message of a job again, because AWS refused the claim, with a delay that grows each time. A message that returned to the queue by
 * itself would be hidden for 16 minutes, and would count as failed.
 */
export async function postponeMessage({ queue }: Uses<"queue">, message: JobMessage): Promise<void> {
  const delays = message.delays ?? 0;
  await queue.postponeMessage({ ...message, delays: delays + 1 }, toSeconds(delayAfter(delays)));
  countOutcome("Postponements");
}
