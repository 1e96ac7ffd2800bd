import { jobTable } from "../../aws/dynamodb/job-table.ts";
import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { publicKey } from "../../aws/kms/signing-keys.ts";
import { storage } from "../../aws/s3/storage.ts";
import { queue } from "../../aws/sqs/queue.ts";
import { isSvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { streamRoutes as routes, type UpdateStreamQuery } from "../../contract/routes/jobs/streams.ts";
import type { RunnableFlow } from "../../core/flows/version.ts";
import type { Runnable } from "../../core/scripts/version.ts";
import { flowVersionOf, newestFlowAt } from "../../services/flows/definitions/load.ts";
import { authenticate } from "../../services/identity/authenticate.ts";
import { enqueue, type NewJob } from "../../services/jobs/queue/enqueue.ts";
import { checkQueue } from "../../services/jobs/queue/queue-limit.ts";
import { findPreviousRun } from "../../services/jobs/queue/record.ts";
import { findJob, WATCH_MS } from "../../services/jobs/read/read.ts";
import { eventText, jobEvents } from "../../services/jobs/read/stream.ts";
import { newestAt, versionOf } from "../../services/scripts/load.ts";
import { apiHandler, logger, on } from "../shared/edge.ts";
import { flowInstead } from "../shared/flow-instead.ts";
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

function runAndStream(call: ScriptCall & StreamCall, runnable: Runnable): Promise<Reply> {
  return streamed(call, runnable, (asked) => scriptJob(collaborators, call, runnable, asked));
}

function flowAndStream(call: ScriptCall & StreamCall, flow: RunnableFlow): Promise<Reply> {
  return streamed(call, flow, (asked) => flowJob(collaborators, call, flow, asked));
}

async function streamed(
  call: ScriptCall & StreamCall,
  runnable: Pick<Runnable, "workspace" | "path">,
  jobOf: (asked: Asked) => Promise<NewJob>,
): Promise<Reply> {
  const asked = await readCall(call, runnable);
  const known = asked.once && (await findPreviousRun(collaborators, asked.once));
  if (!known) await checkQueue(collaborators, runnable.workspace, call.query.queue_limit);
  const job = known ?? (await enqueue(collaborators, { ...(await jobOf(asked)), ...watched() }));
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
    on(routes.streamScriptByPath, async (call) => {
      const flow = await flowInstead(objectTable, call.auth, call.params);
      return flow ? flowAndStream(call, flow) : runAndStream(call, newestAt(call.auth.head, call.params.path));
    }),
    on(routes.streamScriptByPathGet, async (call) => {
      const flow = await flowInstead(objectTable, call.auth, call.params);
      return flow ? flowAndStream(call, flow) : runAndStream(call, newestAt(call.auth.head, call.params.path));
    }),
    on(routes.streamScriptByHash, async (call) => {
      const flow = await flowInstead(objectTable, call.auth, call.params);
      return flow ? flowAndStream(call, flow) : runAndStream(call, versionOf(call.auth.head, call.params.hash));
    }),
    on(routes.streamScriptByHashGet, async (call) => {
      const flow = await flowInstead(objectTable, call.auth, call.params);
      return flow ? flowAndStream(call, flow) : runAndStream(call, versionOf(call.auth.head, call.params.hash));
    }),
    on(routes.streamFlowByPath, (call) => flowAndStream(call, newestFlowAt(call.auth.head, call.params.path))),
    on(routes.streamFlowByPathGet, (call) => flowAndStream(call, newestFlowAt(call.auth.head, call.params.path))),
    on(routes.streamFlowByVersion, (call) => flowAndStream(call, flowVersionOf(call.auth.head, call.params.version))),
    on(routes.streamFlowByVersionGet, (call) => flowAndStream(call, flowVersionOf(call.auth.head, call.params.version))),
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
