import { setTimeout as sleep } from "node:timers/promises";
import { isBusyError } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import { computeBackoffMs } from "../../../core/jobs/backoff.ts";

export interface RetryDeps {
  nowMs: () => number;
  /** Waits for some milliseconds. A test moves its clock instead. */
  pause?: (ms: number) => Promise<unknown>;
  /** The longest time for which a refused call is repeated, where the function has less time than that. */
  maxRetryMs?: number;
}

const BACKOFF = { firstMs: 200, maxMs: 5000 };

/**
 * Repeats work that AWS refuses, in this process, for at most `forMs` (by default, for about the time of a lease). The work must be repeatable. For
 * what must not be lost because it has already happened, such as the end of a run, and for what puts a job back. Throws what the last try threw.
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
