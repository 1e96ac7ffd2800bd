import { limits } from "../../contract/limits.ts";
import type { UpdateStreamQuery } from "../../contract/routes/jobs/streams.ts";
import { removeStacks } from "../../core/reply/remove-stacks.ts";
import { streamWhilePermitted } from "../../services/jobs/read/permitted-events.ts";
import { formatEvent, streamJobEvents } from "../../services/jobs/read/stream.ts";
import type { Reply } from "./reply.ts";

/** The stream of a job that a caller reads. A reconnecting client sends the id of its last event. */
export interface JobStream {
  workspace: string;
  id: string;
  query: UpdateStreamQuery;
  lastEventId: string | undefined;
  /** The caller may not read the run, so it receives no stack traces. */
  isStranger?: boolean;
}

/** A reconnecting client sends the id of the last event, as browsers do by themselves. */
function resumeQuery(query: UpdateStreamQuery, lastEventId: string | undefined): UpdateStreamQuery {
  return lastEventId !== undefined && /^\d{1,15}$/.test(lastEventId) ? { ...query, stream_offset: Number(lastEventId) } : query;
}

/** Replies with the events of a job. `checkAccess` throws once the caller may no longer read them. */
export function buildEventReply(
  deps: Parameters<typeof streamJobEvents>[0] & { nowMs: () => number },
  { workspace, id, query: sent, lastEventId, isStranger }: JobStream,
  checkAccess: () => Promise<unknown>,
): Reply {
  const query = resumeQuery(sent, lastEventId);
  const untilMs = deps.nowMs() + limits.streamMs;
  return {
    statusCode: 200,
    headers: { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no", "x-svc-job-id": id },
    body: "",
    chunks: async function* (gone) {
      const events = streamJobEvents(deps, { workspace, id }, query, { untilMs, gone });
      const rights = { checkAccess, nowMs: deps.nowMs };
      for await (const event of streamWhilePermitted(rights, events, { job: id, from: query.stream_offset ?? 0 }))
        yield formatEvent(event, isStranger ? removeStacks : undefined);
    },
  };
}
