import { defined } from "../../contract/defined.ts";
import { limits } from "../../contract/limits.ts";
import type { Attempt } from "./attempt.ts";

/** The health of an endpoint after an attempt. */
export interface EndpointHealth {
  /** The first of the failed attempts since the last success (epoch ms). */
  failingSinceMs?: number;
  isSlow: boolean;
  /** The reason for which the endpoint must be switched off. */
  disabledReason?: string;
}

/** Returns the health of an endpoint after an attempt. */
export function judgeEndpoint(
  before: { failingSinceMs?: number | undefined },
  { atMs, durationMs, outcome }: { atMs: number; durationMs: number; outcome: Attempt },
): EndpointHealth {
  const isSlow = durationMs > limits.fastReceiverMs;
  if (outcome.ok) return { isSlow };
  const { failingSinceMs = atMs } = before;
  const disabledReason = outcome.gone
    ? "The receiver returned 410: it wants no more events."
    : atMs - failingSinceMs >= limits.endpointFailsMs
      ? `Every delivery failed for ${limits.endpointFailsMs / 86_400_000} days.`
      : undefined;
  return { failingSinceMs, isSlow, ...defined({ disabledReason }) };
}
