import type { Retry } from "../../contract/flows/flow-value.ts";

/** The longest delay before an attempt. */
const LONGEST_S = 6 * 3600;

/**
 * Seconds until the attempt after `failed` failed ones (1 for the first retry); `undefined` when there is none left. Constant attempts come
 * first; the exponential delay is `multiplier × seconds^k`, k the number of the failed run. `random` is between 0 and 1.
 */
export function computeRetryDelayS({ constant, exponential }: Retry, failed: number, random: number): number | undefined {
  const constants = constant?.attempts ?? 0;
  if (failed <= constants) return Math.min(constant?.seconds ?? 0, LONGEST_S);
  if (failed > constants + (exponential?.attempts ?? 0)) return undefined;
  const { multiplier, seconds, random_factor: factor } = exponential ?? {};
  const delay = Math.min((multiplier ?? 1) * (seconds ?? 0) ** failed, LONGEST_S);
  const spread = (delay * (factor ?? 0)) / 100;
  return Math.min(delay - spread + 2 * spread * random, LONGEST_S);
}
