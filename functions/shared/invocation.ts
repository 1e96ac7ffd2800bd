import type { Context } from "aws-lambda";

/** The time at which Lambda ends the current invocation (epoch ms). A process serves one invocation at a time. */
let endsAtMs = 0;

/** Records the end of the invocation that has begun. */
export function beginInvocation(context: Pick<Context, "getRemainingTimeInMillis">): void {
  endsAtMs = Date.now() + context.getRemainingTimeInMillis();
}

/** Returns the time that is left for the invocation that has begun last. */
export function remainingTimeMs(): number {
  return Math.max(0, endsAtMs - Date.now());
}
