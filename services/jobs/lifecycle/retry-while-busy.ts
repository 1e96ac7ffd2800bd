import { setTimeout as sleep } from "node:timers/promises";
import { isBusyError } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import { computeBackoffMs } from "../../../core/jobs/backoff.ts";
import type { Uses } from "../../uses.ts";

const BACKOFF = { firstMs: 200, maxMs: 5000 };

/**
 * Retries work that AWS refuses, in this process, for at most `forMs` (by default, for about the time of a lease). The work must be idempotent.
 * It is meant for records of completed work, such as the end of a run, and for writes that return a job to the queue. Rethrows the last error.
 */
export async function retryWhileBusy<T>(
  { nowMs, pause = sleep, maxRetryMs = Number.POSITIVE_INFINITY }: Uses<"nowMs" | "pause" | "maxRetryMs">,
  work: () => Promise<T>,
  forMs: number = limits.busyRetryMs,
): Promise<T> {
  const untilMs = nowMs() + Math.min(forMs, maxRetryMs);
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const pauseMs = computeBackoffMs(tries, BACKOFF, Math.random());
      if (!isBusyError(error) || nowMs() + pauseMs > untilMs) throw error;
      await pause(pauseMs);
    }
  }
}
