/** The minimum and the maximum delay of a series of attempts, in milliseconds. */
interface Backoff {
  firstMs: number;
  maxMs: number;
}

/**
 * Returns the delay before another attempt in milliseconds. It doubles with each earlier attempt, and half of it is random: the jitter spreads
 * the retries of calls that were throttled together. `random` is in [0, 1).
 */
export function computeBackoffMs(earlierTries: number, { firstMs, maxMs }: Backoff, random: number): number {
  // A larger exponent has no effect, and could overflow.
  const fullMs = Math.min(maxMs, firstMs * 2 ** Math.min(earlierTries, 40));
  return Math.round(fullMs * (0.5 + random / 2));
}
