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
import { checkAccess } from "../shared/guard.ts";
import { logger } from "../shared/observe.ts";
import { markReplay, type Reply } from "../shared/reply.ts";
import { authenticateRun, type RunAuth, versionRoutes } from "../shared/run-routes.ts";

const deps = {
  objects: objectTable,
  jobs: jobTable,
  queue,
  storage,
  nowMs: Date.now,
  findLastStep: (flow: Job) => findLastStep({ jobs: jobTable, storage }, flow),
};
const authenticateDeps = { objects: objectTable, jobs: jobTable, publicKey: findPublicKey, nowMs: Date.now };

/** A reconnecting client sends the id of the last event, as browsers do by themselves. */
function resumeQuery(query: UpdateStreamQuery, lastEventId: string | undefined): UpdateStreamQuery {
  return lastEventId !== undefined && /^\d{1,15}$/.test(lastEventId) ? { ...query, stream_offset: Number(lastEventId) } : query;
}

/** The authentication of a stream. A stream may last longer than the rights of its caller, which are checked again. */
interface StreamAuth extends RunAuth {
  /** Authenticates again. Throws as the call itself would now. */
  recheck: () => Promise<RunAuth>;
}

interface JobStream {
  workspace: string;
  id: string;
  query: UpdateStreamQuery;
  lastEventId: string | undefined;
}

/** Replies with the events of a job. `checkAccess` throws once the caller may no longer read them. */
function buildEventReply({ workspace, id, query: sent, lastEventId }: JobStream, checkAccess: () => Promise<unknown>): Reply {
  const query = resumeQuery(sent, lastEventId);
  const untilMs = deps.nowMs() + limits.streamMs;
  return {
    statusCode: 200,
    headers: { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no", "x-svc-job-id": id },
    body: "",
    chunks: (gone) => {
      const events = streamJobEvents(deps, { workspace, id }, query, { untilMs, gone });
      return formatEvents(checkAccess, events, query.stream_offset ?? 0);
    },
  };
}

/** Events come at least every 15 s, so a stream ends within 30 s after a right or a token is revoked. */
const RECHECK_MS = 15_000;

/** The status was already sent, so later failures are reported as events with the last offset. */
async function* formatEvents(
  checkAccess: () => Promise<unknown>,
  events: ReturnType<typeof streamJobEvents>,
  from: number,
): AsyncGenerator<string> {
  let reached = from;
  let checkedMs = deps.nowMs();
  try {
    for await (const event of events) {
      if (deps.nowMs() - checkedMs >= RECHECK_MS) {
        if (!(await isStillPermitted(checkAccess))) return yield formatEvent({ id: reached, data: { type: "not_found" } });
        checkedMs = deps.nowMs();
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

async function isStillPermitted(checkAccess: () => Promise<unknown>): Promise<boolean> {
  try {
    await checkAccess();
    return true;
  } catch (error) {
    if (isSvcError(error)) return false;
    throw error;
  }
}

/** Starts a run and streams it. The client's last offset is used only if the call was replayed, because it belongs to that run. */
async function runAndStream(request: VersionRunRequest, { auth, query, payload }: StreamCall): Promise<Reply> {
  const watchedUntilMs = deps.nowMs() + WATCH_MS;
  const { id, replayed } = await startRun(deps, request, { queueLimit: query.queue_limit, watchedUntilMs });
  const asked = { only_result: true, fast: true, poll_delay_ms: query.poll_delay_ms };
  const lastEventId = replayed ? payload.headers["last-event-id"] : undefined;
  return markReplay(buildEventReply({ workspace: request.options.workspace, id, query: asked, lastEventId }, auth.recheck), replayed);
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

const authenticateForRun = authenticateRun(authenticateDeps);

/** The streaming routes, which reply with `chunks`. On AWS they are served by `handler.ts`, locally by the front server. */
export const answer = apiHandler<StreamAuth>(
  [
    ...versionRoutes(runStreamRoutes, deps, runAndStream),
    on(routes.updateStream, async ({ auth, params: { workspace, id }, query, headers }) => {
      const find = ({ actor }: RunAuth) => findJob(deps, { actor, action: routes.updateStream }, { workspace, id });
      const job = await find(auth);
      const stream = { workspace, id: job.id, query, lastEventId: headers["last-event-id"] };
      return buildEventReply(stream, async () => find(await auth.recheck()));
    }),
  ],
  async (token, route, params) => {
    const again = async (): Promise<RunAuth> => {
      if (params["id"] === undefined) return authenticateForRun(token, route, params);
      const { actor } = await authenticate(authenticateDeps, token, { workspace: params["workspace"] });
      checkAccess(actor, route, params);
      return { actor, head: undefined };
    };
    return { ...(await again()), recheck: again };
  },
);
