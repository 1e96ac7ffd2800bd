import type { Retry } from "../../contract/flows/flow-value.ts";

/** The maximum delay before an attempt. */
const LONGEST_S = 6 * 3600;

/**
 * Returns the delay in seconds before the retry that follows `failed` failures (from 1), or `undefined` if no retry is left. Constant
 * attempts come first. The exponential delay is `multiplier × seconds^k`, where k is the number of the failed attempt. `random` is between
 * 0 and 1.
 */
export function computeRetryDelayS({ constant, exponential }: Retry, failed: number, random: number): number | undefined {
  const constants = constant?.attempts ?? 0;
  if (failed <= constants) return Math.min(constant?.seconds ?? 0, LONGEST_S);
  if (failed > constants + (exponential?.attempts ?? 0)) return undefined;
  const { multiplier, seconds, random_factor: factor } = exponential ?? {};
  // The power may be infinite, and its product with 0 would be NaN.
  const delay = multiplier === 0 ? 0 : Math.min((multiplier ?? 1) * (seconds ?? 0) ** failed, LONGEST_S);
  const spread = (delay * (factor ?? 0)) / 100;
  // Rounding can make the spread of a tiny delay larger than the delay.
  return Math.max(0, Math.min(delay - spread + 2 * spread * random, LONGEST_S));
}
