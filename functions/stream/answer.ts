import { jobTable } from "../../aws/dynamodb/job-table.ts";
import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { findPublicKey } from "../../aws/kms/signing-keys.ts";
import { storage } from "../../aws/s3/storage.ts";
import { queue } from "../../aws/sqs/queue.ts";
import { isSvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { Payload } from "../../contract/payload.ts";
import { streamRoutes as routes, type UpdateStreamQuery } from "../../contract/routes/jobs/streams.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { VersionRunRequest } from "../../services/execution/requests/run-request.ts";
import { startRun } from "../../services/execution/requests/start-run.ts";
import { findLastStep } from "../../services/flows/inspection/last-step.ts";
import { authenticate } from "../../services/identity/authenticate.ts";
import { findJob, WATCH_MS } from "../../services/jobs/read/read.ts";
import { formatEvent, streamJobEvents } from "../../services/jobs/read/stream.ts";
import { apiHandler, on } from "../shared/edge.ts";
import { guard } from "../shared/guard.ts";
import { logger } from "../shared/observe.ts";
import { markReplay, type Reply } from "../shared/reply.ts";
import { authenticateRun, type RunAuth, versionRoutes } from "../shared/run-routes.ts";

const collaborators = {
  objects: objectTable,
  jobs: jobTable,
  queue,
  storage,
  nowMs: Date.now,
  findLastStep: (flow: Job) => findLastStep({ jobs: jobTable, storage }, flow),
};
const authenticator = { objects: objectTable, jobs: jobTable, publicKey: findPublicKey, nowMs: Date.now };

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
    chunks: (gone) => texts(still, streamJobEvents(collaborators, { workspace, id }, query, { untilMs, gone }), query.stream_offset ?? 0),
  };
}

/** Events come at least every 15 s, so that a right that is taken, or a token that is deleted, ends a stream within 30 s. */
const LOOK_AGAIN_MS = 15_000;

/** The status has gone out already: what fails from here on is an event, with the offset that was reached. */
async function* texts(still: () => Promise<unknown>, of: ReturnType<typeof streamJobEvents>, from: number): AsyncGenerator<string> {
  let reached = from;
  let lookedMs = collaborators.nowMs();
  try {
    for await (const event of of) {
      if (collaborators.nowMs() - lookedMs >= LOOK_AGAIN_MS) {
        if (!(await holds(still))) return yield formatEvent({ id: reached, data: { type: "not_found" } });
        lookedMs = collaborators.nowMs();
      }
      reached = event.id;
      yield formatEvent(event);
    }
  } catch (error) {
    logger.error("stream", error as Error);
    yield formatEvent({
      id: reached,
      data: { type: "error", error: "An internal error occurred. Reconnect with the id of the last event." },
    });
  }
}

interface StreamCall {
  auth: StreamAuth;
  query: { poll_delay_ms?: number | undefined; queue_limit?: number | undefined };
  payload: Payload;
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

/** Starts a run and streams it. A client's last offset counts only for the run that it belongs to: a replayed one. */
async function runAndStream(request: VersionRunRequest, { auth, query, payload }: StreamCall): Promise<Reply> {
  const watchedUntilMs = collaborators.nowMs() + WATCH_MS;
  const { id, replayed } = await startRun(collaborators, request, { queueLimit: query.queue_limit, watchedUntilMs });
  const asked = { only_result: true, fast: true, poll_delay_ms: query.poll_delay_ms };
  const lastEventId = replayed ? payload.headers["last-event-id"] : undefined;
  return markReplay(events(auth.again, request.options.workspace, id, asked, lastEventId), replayed);
}

const runStreamRoutes = [
  routes.streamScriptByPath,
  routes.streamScriptByPathGet,
  routes.streamScriptByHash,
  routes.streamScriptByHashGet,
  routes.streamFlowByPath,
  routes.streamFlowByPathGet,
  routes.streamFlowByVersion,
  routes.streamFlowByVersionGet,
];

const ofRun = authenticateRun(authenticator);

/** The streaming routes: replies with `chunks`. Its edges are `handler.ts` on AWS, and the front server's locally. */
export const answer = apiHandler<StreamAuth>(
  [
    ...versionRoutes(runStreamRoutes, collaborators, runAndStream),
    on(routes.updateStream, async ({ auth, params: { workspace, id }, query, headers }) => {
      const find = ({ actor }: RunAuth) => findJob(collaborators, { actor, action: routes.updateStream }, { workspace, id });
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
