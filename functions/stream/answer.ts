import { jobTable } from "../../aws/job-table.ts";
import { publicKey } from "../../aws/keys.ts";
import { objectTable } from "../../aws/object-table.ts";
import { queue } from "../../aws/queue.ts";
import { storage } from "../../aws/storage.ts";
import { isSvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { streamRoutes as routes, type UpdateStreamQuery } from "../../contract/routes/streams.ts";
import type { RunnableFlow } from "../../core/flows/version.ts";
import type { Runnable } from "../../core/scripts/version.ts";
import { flowVersionOf, newestFlowAt } from "../../services/flows/load.ts";
import { authenticate } from "../../services/identity/authenticate.ts";
import { enqueue, type NewJob } from "../../services/jobs/accept.ts";
import { checkQueue } from "../../services/jobs/queue-limit.ts";
import { findJob, WATCH_MS } from "../../services/jobs/read.ts";
import { knownCall } from "../../services/jobs/record.ts";
import { eventText, jobEvents } from "../../services/jobs/stream.ts";
import { newestAt, versionOf } from "../../services/scripts/load.ts";
import { apiHandler, logger, on } from "../shared/edge.ts";
import { guard } from "../shared/guard.ts";
import type { Reply } from "../shared/reply.ts";
import { type Asked, authenticateRun, flowJob, type RunAuth, readCall, type ScriptCall, scriptJob } from "../shared/run-call.ts";

const collaborators = { objects: objectTable, jobs: jobTable, queue, storage, nowMs: Date.now };
const authenticator = { objects: objectTable, jobs: jobTable, publicKey, nowMs: Date.now };

/** A client that was cut off says how far it got, as browsers do by themselves. */
function resumed(query: UpdateStreamQuery, lastEventId: string | undefined): UpdateStreamQuery {
  return lastEventId !== undefined && /^\d{1,15}$/.test(lastEventId) ? { ...query, stream_offset: Number(lastEventId) } : query;
}

/** A run's stream outlives the call's own look at token and rights: it looks again. */
interface StreamAuth extends RunAuth {
  /** Throws what the call itself would be refused with now. */
  again: () => Promise<RunAuth>;
}

function events(
  still: () => Promise<unknown>,
  workspace: string,
  id: string,
  asked: UpdateStreamQuery,
  lastEventId: string | undefined,
): Reply {
  const query = resumed(asked, lastEventId);
  const untilMs = collaborators.nowMs() + limits.streamMs;
  return {
    statusCode: 200,
    headers: { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no", "x-svc-job-id": id },
    body: "",
    chunks: (gone) => texts(still, jobEvents(collaborators, workspace, id, query, untilMs, gone), query.stream_offset ?? 0),
  };
}

/** Events come at least every 15 s, so that a right that is taken, or a token that is deleted, ends a stream within 30 s. */
const LOOK_AGAIN_MS = 15_000;

/** The status has gone out already: what fails from here on is an event, with the offset that was reached. */
async function* texts(still: () => Promise<unknown>, of: ReturnType<typeof jobEvents>, from: number): AsyncGenerator<string> {
  let reached = from;
  let lookedMs = collaborators.nowMs();
  try {
    for await (const event of of) {
      if (collaborators.nowMs() - lookedMs >= LOOK_AGAIN_MS) {
        if (!(await holds(still))) return yield eventText({ id: reached, data: { type: "not_found" } });
        lookedMs = collaborators.nowMs();
      }
      reached = event.id;
      yield eventText(event);
    }
  } catch (error) {
    logger.error("stream", error as Error);
    yield eventText({ id: reached, data: { type: "error", error: "Something went wrong here. Ask again, from this event's id." } });
  }
}

interface StreamCall {
  auth: StreamAuth;
  query: { poll_delay_ms?: number | undefined; queue_limit?: number | undefined };
}

async function holds(still: () => Promise<unknown>): Promise<boolean> {
  try {
    await still();
    return true;
  } catch (error) {
    if (isSvcError(error)) return false;
    throw error;
  }
}

const runScript = (call: ScriptCall & StreamCall, script: Runnable) =>
  runAndStream(call, script, (asked) => scriptJob(collaborators, call, script, asked));
const runFlow = (call: ScriptCall & StreamCall, flow: RunnableFlow) =>
  runAndStream(call, flow, (asked) => flowJob(collaborators, call, flow, asked));

async function runAndStream(
  call: ScriptCall & StreamCall,
  runnable: Runnable | RunnableFlow,
  jobFor: (asked: Asked) => Promise<NewJob>,
): Promise<Reply> {
  const asked = await readCall(call, runnable);
  const known = asked.once && (await knownCall(collaborators, asked.once));
  if (!known) await checkQueue(collaborators, runnable.workspace, call.query.queue_limit);
  const job = known ?? (await enqueue(collaborators, { ...(await jobFor(asked)), ...watched() }));
  const query = { only_result: true, fast: true, poll_delay_ms: call.query.poll_delay_ms };
  // The offset that a client has kept is of an earlier run, unless it joins that run again.
  const reply = events(call.auth.again, runnable.workspace, job.id, query, known ? call.payload.headers["last-event-id"] : undefined);
  return known ? { ...reply, headers: { ...reply.headers, "x-svc-idempotent-replay": "true" } } : reply;
}

/** Its runner sends the first output at once. */
const watched = () => ({ watchedUntilMs: collaborators.nowMs() + WATCH_MS });

const ofRun = authenticateRun(authenticator);

/** The streaming routes: replies with `chunks`. Its edges are `handler.ts` on AWS, and the front server's locally. */
export const answer = apiHandler<StreamAuth>(
  [
    on(routes.streamScriptByPath, (call) => runScript(call, newestAt(call.auth.head, call.params.path))),
    on(routes.streamScriptByPathGet, (call) => runScript(call, newestAt(call.auth.head, call.params.path))),
    on(routes.streamScriptByHash, (call) => runScript(call, versionOf(call.auth.head, call.params.hash))),
    on(routes.streamScriptByHashGet, (call) => runScript(call, versionOf(call.auth.head, call.params.hash))),
    on(routes.streamFlowByPath, (call) => runFlow(call, newestFlowAt(call.auth.head, call.params.path))),
    on(routes.streamFlowByPathGet, (call) => runFlow(call, newestFlowAt(call.auth.head, call.params.path))),
    on(routes.streamFlowByVersion, (call) => runFlow(call, flowVersionOf(call.auth.head, call.params.version))),
    on(routes.streamFlowByVersionGet, (call) => runFlow(call, flowVersionOf(call.auth.head, call.params.version))),
    on(routes.updateStream, async ({ auth, params: { workspace, id }, query, headers }) => {
      const find = ({ actor }: RunAuth) => findJob(collaborators, { actor, action: routes.updateStream.name }, workspace, id);
      const job = await find(auth);
      return events(async () => find(await auth.again()), workspace, job.id, query, headers["last-event-id"]);
    }),
  ],
  async (token, route, params) => {
    const again = async (): Promise<RunAuth> => {
      if (params["id"] === undefined) return ofRun(token, route, params);
      const { actor } = await authenticate(authenticator, token, { workspace: params["workspace"] });
      guard(actor, route, params);
      return { actor, head: undefined };
    };
    return { ...(await again()), again };
  },
);
