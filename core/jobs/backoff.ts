/** The shortest and the longest delay of a series of tries, in milliseconds. */
interface Backoff {
  firstMs: number;
  maxMs: number;
}

/**
 * Returns the delay before another try in milliseconds: doubled with each earlier try, and at random between half of that and all of it, so that
 * what was refused together does not come back together. `random` is in [0, 1).
 */
export function computeBackoffMs(earlierTries: number, { firstMs, maxMs }: Backoff, random: number): number {
  // A larger exponent changes nothing and would leave the range of a number.
  const fullMs = Math.min(maxMs, firstMs * 2 ** Math.min(earlierTries, 40));
  return Math.round(fullMs * (0.5 + random / 2));
}
