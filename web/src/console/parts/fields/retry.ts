/** The retries of a script that failed, as the service stores them. */
export type StoredRetry = Readonly<Record<string, unknown>>;

/** The form of retries: after equal pauses, or after pauses that grow. */
export interface RetryChoice {
  pauses: "none" | "constant" | "exponential";
  attempts: number;
  seconds: number;
  multiplier: number;
}

const noRetry: RetryChoice = { pauses: "none", attempts: 3, seconds: 10, multiplier: 2 };
const numberOf = (value: unknown, otherwise: number) => (typeof value === "number" ? value : otherwise);

/** Reads stored retries. Undefined: they use both kinds of pauses at once, which the form does not offer. */
export function toRetryChoice(retry: StoredRetry | null | undefined): RetryChoice | undefined {
  const kinds = (["constant", "exponential"] as const).filter((kind) => retry?.[kind] != null);
  const [kind] = kinds;
  if (kind === undefined) return noRetry;
  if (kinds.length > 1) return undefined;
  const { attempts, seconds, multiplier } = (retry?.[kind] ?? {}) as Record<string, unknown>;
  return { pauses: kind, attempts: numberOf(attempts, 1), seconds: numberOf(seconds, 0), multiplier: numberOf(multiplier, 1) };
}

/** Writes a choice. The other fields of the stored retries, such as a condition, stay. `null` removes the retries. */
export function withRetryChoice(
  retry: StoredRetry | null | undefined,
  { pauses, attempts, seconds, multiplier }: RetryChoice,
): StoredRetry | null {
  if (pauses === "none") return null;
  const { constant, exponential, ...others } = retry ?? {};
  const before = (pauses === "constant" ? constant : exponential) as object | undefined;
  return { ...others, [pauses]: { ...before, attempts, seconds, ...(pauses === "exponential" ? { multiplier } : {}) } };
}
