import * as z from "zod";
import { defined } from "../../contract/defined.ts";
import type { Attempt } from "./attempt.ts";
import { isLastAttempt, nextAttemptAtMs } from "./schedule.ts";

/** The progress of a delivery, which its record contains. */
export const progressSchema = z.object({
  /** `pending`: the first attempt of the delivery, or of a replay, has not ended. */
  state: z.enum(["pending", "sent", "retrying", "failed"]),
  /** The number of started attempts. */
  attempts: z.int(),
  /** An attempt is running. Unless its outcome is recorded by then (epoch ms), its sender has died. */
  heldUntilMs: z.number().optional(),
  /** The time of the next attempt, while the state is `retrying` (epoch ms). */
  nextAtMs: z.number().optional(),
  /** The last replay, and the number of attempts before it. */
  replay: z.object({ id: z.string(), after: z.int() }).optional(),
});
export type Progress = z.infer<typeof progressSchema>;

/** The message to decide about. `replay`: the replay to which it belongs. */
interface Due {
  after: number;
  replay?: string | undefined;
  nowMs: number;
}

/**
 * The decision about a message. `claim`: an attempt is due. `held`: another process is making the attempt. `done`: there is nothing to do.
 * `requeue`: the attempt was made, and its process may have died before it queued the next one.
 */
export type Decision =
  | { is: "claim"; progress: Progress; isLost: boolean }
  | { is: "held" }
  | { is: "done" }
  | { is: "requeue"; progress: Progress };

/** Decides about a message by the record of its delivery, which is `undefined` before the first attempt. `holdMs`: the longest duration of an attempt. */
export function decideClaim(found: Progress | undefined, { after, replay, nowMs }: Due, holdMs: number): Decision {
  const claim = (attempts: number, more: Partial<Progress> = {}, isLost = false): Decision => ({
    is: "claim",
    progress: { state: "pending", ...defined({ replay: found?.replay }), attempts, heldUntilMs: nowMs + holdMs, ...more },
    isLost,
  });
  if (!found) return claim(after + 1, replay === undefined ? {} : { replay: { id: replay, after } });
  const { state, attempts, heldUntilMs } = found;
  if (heldUntilMs !== undefined) {
    if (heldUntilMs > nowMs) return { is: "held" };
    return claim(attempts + 1, { state }, true);
  }
  if (replay !== undefined && found.replay?.id !== replay) return claim(attempts + 1, { replay: { id: replay, after: attempts } });
  if (state === "sent" || state === "failed") return { is: "done" };
  // A message of an earlier attempt is delivered again if its process died before it queued this one.
  if (attempts > after && replay === undefined) return { is: "requeue", progress: found };
  if (replay !== undefined) return { is: "requeue", progress: found };
  return claim(attempts + 1, { state });
}

/** Returns the progress after an attempt. `id`: the delivery, for the time of the next attempt. */
export function recordAttempt(claimed: Progress, attempt: Attempt, { id, nowMs }: { id: string; nowMs: number }): Progress {
  const { attempts, replay } = claimed;
  const base = { attempts, ...defined({ replay }) };
  if (attempt.ok) return { ...base, state: "sent" };
  const attemptCount = attempts - (replay?.after ?? 0);
  if (attempt.final || isLastAttempt(attemptCount)) return { ...base, state: "failed" };
  return {
    ...base,
    state: "retrying",
    nextAtMs: nextAttemptAtMs({ id, attempts: attemptCount, atMs: nowMs, retryAfterMs: attempt.retryAfterMs }),
  };
}
