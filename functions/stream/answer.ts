import { jobTable } from "../../aws/job-table.ts";
import { publicKey } from "../../aws/keys.ts";
import { objectTable } from "../../aws/object-table.ts";
import { queue } from "../../aws/queue.ts";
import { storage } from "../../aws/storage.ts";
import { limits } from "../../contract/limits.ts";
import { streamRoutes as routes, type UpdateStreamQuery } from "../../contract/routes/streams.ts";
import type { Runnable } from "../../core/scripts/version.ts";
import { authenticate } from "../../services/identity/authenticate.ts";
import { enqueue } from "../../services/jobs/accept.ts";
import { findJob, WATCH_MS } from "../../services/jobs/read.ts";
import { knownCall } from "../../services/jobs/record.ts";
import { eventText, jobEvents } from "../../services/jobs/stream.ts";
import { newestAt, versionOf } from "../../services/scripts/load.ts";
import { apiHandler, on } from "../shared/edge.ts";
import { guard } from "../shared/guard.ts";
import type { Reply } from "../shared/reply.ts";
import { authenticateRun, type RunAuth, readCall, type ScriptCall, scriptJob } from "../shared/run-call.ts";

const collaborators = { objects: objectTable, jobs: jobTable, queue, storage, nowMs: Date.now };
const authenticator = { objects: objectTable, jobs: jobTable, publicKey, nowMs: Date.now };

/** A client that was cut off says how far it got, as browsers do by themselves. */
function resumed(query: UpdateStreamQuery, lastEventId: string | undefined): UpdateStreamQuery {
  const offset = Number(lastEventId);
  return lastEventId !== undefined && Number.isInteger(offset) && offset >= 0 ? { ...query, stream_offset: offset } : query;
}

function events(workspace: string, id: string, query: UpdateStreamQuery, lastEventId: string | undefined): Reply {
  const untilMs = collaborators.nowMs() + limits.streamMs;
  return {
    statusCode: 200,
    headers: { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no", "x-svc-job-id": id },
    body: "",
    chunks: texts(jobEvents(collaborators, workspace, id, resumed(query, lastEventId), untilMs)),
  };
}

async function* texts(of: ReturnType<typeof jobEvents>): AsyncGenerator<string> {
  for await (const event of of) yield eventText(event);
}

async function runAndStream(call: ScriptCall & { query: { poll_delay_ms?: number | undefined } }, runnable: Runnable): Promise<Reply> {
  const asked = await readCall(call, runnable);
  const known = asked.once && (await knownCall(collaborators, asked.once));
  const job = known ?? (await enqueue(collaborators, { ...(await scriptJob(collaborators, call, runnable, asked)), ...watched() }));
  const query = { only_result: true, fast: true, poll_delay_ms: call.query.poll_delay_ms };
  return events(runnable.workspace, job.id, query, call.payload.headers["last-event-id"]);
}

/** Its runner sends the first output at once. */
const watched = () => ({ watchedUntilMs: collaborators.nowMs() + WATCH_MS });

const ofRun = authenticateRun(authenticator);

/** The streaming routes: replies with `chunks`. Its edges are `handler.ts` on AWS, and the front server's locally. */
export const answer = apiHandler<RunAuth>(
  [
    on(routes.streamScriptByPath, (call) => runAndStream(call, newestAt(call.auth.head, call.params.path))),
    on(routes.streamScriptByPathGet, (call) => runAndStream(call, newestAt(call.auth.head, call.params.path))),
    on(routes.streamScriptByHash, (call) => runAndStream(call, versionOf(call.auth.head, call.params.hash))),
    on(routes.streamScriptByHashGet, (call) => runAndStream(call, versionOf(call.auth.head, call.params.hash))),
    on(routes.updateStream, async ({ auth, params: { workspace, id }, query, headers }) => {
      const job = await findJob(collaborators, { actor: auth.actor, action: routes.updateStream.name }, workspace, id);
      return events(workspace, job.id, query, headers["last-event-id"]);
    }),
  ],
  async (token, route, params) => {
    if (params["id"] === undefined) return ofRun(token, route, params);
    const { actor } = await authenticate(authenticator, token, { workspace: params["workspace"] });
    guard(actor, route, params);
    return { actor, head: undefined };
  },
);
