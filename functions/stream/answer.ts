import { jobTable } from "../../aws/dynamodb/job-table.ts";
import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { findPublicKey } from "../../aws/kms/signing-keys.ts";
import { storage } from "../../aws/s3/storage.ts";
import { queue } from "../../aws/sqs/queue.ts";
import type { Payload } from "../../contract/payload.ts";
import { streamRoutes as routes } from "../../contract/routes/jobs/streams.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { VersionRunRequest } from "../../services/execution/requests/run-request.ts";
import { startStreamedRun } from "../../services/execution/requests/start-streamed-run.ts";
import { findLastStep } from "../../services/flows/inspection/last-step.ts";
import { authenticate } from "../../services/identity/authenticate.ts";
import { findJob } from "../../services/jobs/read/read.ts";
import { apiHandler, on } from "../shared/edge.ts";
import { buildEventReply } from "../shared/event-reply.ts";
import { checkAccess } from "../shared/guard.ts";
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

/** The authentication of a stream. A stream may last longer than the rights of its caller, which are checked again. */
interface StreamAuth extends RunAuth {
  /** Authenticates again. Throws as the call itself would now. */
  recheck: () => Promise<RunAuth>;
}

interface StreamCall {
  auth: StreamAuth;
  query: { poll_delay_ms?: number | undefined; queue_limit?: number | undefined };
  headers: Payload["headers"];
}

/** Starts a run and streams it. */
async function runAndStream(request: VersionRunRequest, { auth, query, headers }: StreamCall): Promise<Reply> {
  const options = { queueLimit: query.queue_limit, lastEventId: headers["last-event-id"] };
  const { id, replayed, lastEventId } = await startStreamedRun(deps, request, options);
  const streamQuery = { only_result: true, fast: true, poll_delay_ms: query.poll_delay_ms };
  const stream = { workspace: request.options.workspace, id, query: streamQuery, lastEventId };
  return markReplay(buildEventReply(deps, stream, auth.recheck), replayed);
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
      return buildEventReply(deps, stream, async () => find(await auth.recheck()));
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
