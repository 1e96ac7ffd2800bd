import { limits } from "../../../contract/limits.ts";
import type { UpdateStreamQuery } from "../../../contract/routes/jobs/streams.ts";
import { removeStacks } from "../../../core/reply/remove-stacks.ts";
import type { StreamPosition } from "../../../core/streams/event-id.ts";
import { reportFailure } from "../../../core/telemetry/telemetry.ts";
import { streamWhilePermitted } from "../../../services/jobs/read/permitted-events.ts";
import { formatEvent, streamJobEvents } from "../../../services/jobs/read/streams/stream.ts";
import { type StreamReader, takeStreamSlot } from "../../../services/jobs/read/streams/stream-slots.ts";
import type { Uses } from "../../../services/uses.ts";
import type { Reply } from "./reply.ts";

/** The stream of a job that a caller reads, from the position that the caller has reached. */
export interface JobStream {
  workspace: string;
  id: string;
  query: UpdateStreamQuery;
  from: StreamPosition | undefined;
  /** The caller may not read the run, so it receives no stack traces. */
  isStranger?: boolean;
}

/** Replies with the events of a job. `checkAccess` throws once the caller may no longer read them. */
export function buildEventReply(
  deps: Uses<"findLastStep" | "jobs" | "storage" | "nowMs">,
  { workspace, id, query: requestQuery, from, isStranger }: JobStream,
  checkAccess: () => Promise<unknown>,
): Reply {
  const headers = { "cache-control": "no-store", "x-svc-job-id": id };
  // A browser reconnects after the end of a stream as well, until it receives this status.
  if (from?.ended) return { statusCode: 204, headers, body: "" };
  const query = from ? { ...requestQuery, stream_offset: from.stream, log_offset: from.log ?? requestQuery.log_offset } : requestQuery;
  const untilMs = deps.nowMs() + limits.streamMs;
  return {
    statusCode: 200,
    headers: { ...headers, "content-type": "text/event-stream", "x-accel-buffering": "no" },
    body: "",
    chunks: async function* (gone) {
      const events = streamJobEvents(deps, { workspace, id }, query, { untilMs, gone });
      const rights = { checkAccess, nowMs: deps.nowMs };
      const start = { stream: query.stream_offset ?? 0, log: query.log_offset };
      const format = { run: from?.run, change: isStranger ? removeStacks : undefined };
      for await (const event of streamWhilePermitted(rights, events, { job: id, from: start })) yield formatEvent(event, format);
    },
  };
}

/**
 * Returns the reply of `answer`. If it is a stream, it takes one of the reader's slots until it ends. The slot is taken first, so that nothing starts
 * for a refused stream. Throws `stream.tooMany`.
 */
export async function replyInSlot(deps: Uses<"objects" | "nowMs">, reader: StreamReader, answer: () => Promise<Reply>): Promise<Reply> {
  const freeSlot = await takeStreamSlot(deps, reader);
  // A slot that is not freed expires.
  const free = () => freeSlot().catch((error: unknown) => reportFailure("The slot of a stream was not freed", error));
  try {
    const reply = await answer();
    const { chunks } = reply;
    if (!chunks) {
      await free();
      return reply;
    }
    return {
      ...reply,
      chunks: async function* (gone) {
        try {
          yield* chunks(gone);
        } finally {
          await free();
        }
      },
    };
  } catch (error) {
    await free();
    throw error;
  }
}
