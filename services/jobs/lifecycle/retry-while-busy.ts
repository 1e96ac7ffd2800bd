import { setTimeout as sleep } from "node:timers/promises";
import { isBusyError } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import { computeBackoffMs } from "../../../core/jobs/backoff.ts";

export interface RetryDeps {
  nowMs: () => number;
  /** Waits for some milliseconds. A test moves its clock instead. */
  pause?: (ms: number) => Promise<unknown>;
  /** The maximum time for which a refused call is retried, if it is shorter than the function's own limit. */
  maxRetryMs?: number;
}

const BACKOFF = { firstMs: 200, maxMs: 5000 };

/**
 * Retries work that AWS refuses, in this process, for at most `forMs` (by default, for about the time of a lease). The work must be idempotent.
 * It is meant for records of completed work, such as the end of a run, and for writes that return a job to the queue. Rethrows the last error.
 */
export async function retryWhileBusy<T>(
  { nowMs, pause = sleep, maxRetryMs = Number.POSITIVE_INFINITY }: RetryDeps,
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
