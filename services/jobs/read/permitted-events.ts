import { isSvcError } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import type { StreamPosition } from "../../../core/streams/event-id.ts";
import { reportFailure } from "../../../core/telemetry/telemetry.ts";
import type { StreamEvent } from "./streams/stream.ts";

/** A stream has an event or a ping at least this often, so it ends within 30 s after a right or a token is revoked. */
const RECHECK_MS = limits.streamPingMs;

/** The rights of a stream's reader, which may be revoked while the stream lasts. */
interface StreamRights {
  /** Throws an `SvcError` once the reader may no longer read the job. */
  checkAccess: () => Promise<unknown>;
  nowMs: () => number;
}

/**
 * Yields the events of a job while its reader may read them. Revoked rights end the stream with `not_found`. The reply's status is already
 * sent, so a failure is yielded as an event too. Both have the last position, from which the reader can continue; it is `from` at first.
 */
export async function* streamWhilePermitted(
  { checkAccess, nowMs }: StreamRights,
  events: AsyncIterable<StreamEvent>,
  { job, from }: { job: string; from: StreamPosition },
): AsyncGenerator<StreamEvent> {
  let reached = from;
  let checkedMs = nowMs();
  try {
    for await (const event of events) {
      if (nowMs() - checkedMs >= RECHECK_MS) {
        if (!(await isStillPermitted(checkAccess))) return yield { at: reached, data: { type: "not_found" } };
        checkedMs = nowMs();
      }
      reached = event.at;
      yield event;
    }
  } catch (error) {
    reportFailure("The stream of a job failed", error, { job });
    yield { at: reached, data: { type: "error", error: "An internal error occurred. Reconnect with the id of the last event." } };
  }
}

async function isStillPermitted(checkAccess: () => Promise<unknown>): Promise<boolean> {
  try {
    await checkAccess();
    return true;
  } catch (error) {
    if (isSvcError(error)) return false;
    throw error;
  }
}
