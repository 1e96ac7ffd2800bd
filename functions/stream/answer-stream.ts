import type { Payload } from "../../contract/payload.ts";
import { streamRoutes as routes } from "../../contract/routes/jobs/streams.ts";
import { parseEventId } from "../../core/streams/event-id.ts";
import type { VersionRunCall } from "../../services/execution/requests/run-request.ts";
import { startStreamedRun } from "../../services/execution/requests/start-streamed-run.ts";
import { authenticate } from "../../services/identity/authenticate.ts";
import { findJob } from "../../services/jobs/read/read.ts";
import { toTokenReader } from "../../services/jobs/read/streams/stream-slots.ts";
import type { Uses } from "../../services/uses.ts";
import { apiHandler, on } from "../shared/edge/edge.ts";
import { checkAccess } from "../shared/edge/guard.ts";
import { authenticateRun, type RunAuth, versionRoutes } from "../shared/edge/run-routes.ts";
import { buildEventReply, replyInSlot } from "../shared/reply/event-reply.ts";
import { markReplay, type Reply } from "../shared/reply/reply.ts";

/** The authentication of a stream. A stream may last longer than the rights of its caller, which are checked again. */
interface StreamAuth extends RunAuth {
  /** Authenticates again, and throws the same errors as a new call. */
  recheck: () => Promise<RunAuth>;
}

interface StreamCall {
  auth: StreamAuth;
  query: { poll_delay_ms?: number | undefined; queue_limit?: number | undefined };
  headers: Payload["headers"];
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

/** Creates the handler of the streaming routes, which replies with `chunks`. */
export function createStreamHandler(
  deps: Uses<"findLastStep" | "jobs" | "objects" | "storage" | "queue" | "nowMs">,
  authenticator: Uses<"jobs" | "objects" | "publicKey" | "nowMs">,
) {
  /** Starts a run and streams it. */
  const runAndStream = (request: VersionRunCall, { auth, query, headers }: StreamCall): Promise<Reply> =>
    replyInSlot(deps, toTokenReader(auth.actor), async () => {
      const options = { queueLimit: query.queue_limit, lastEventId: headers["last-event-id"] };
      const { id, replayed, from } = await startStreamedRun(deps, request, options);
      const streamQuery = { only_result: true, fast: true, poll_delay_ms: query.poll_delay_ms };
      const stream = { workspace: request.job.workspace, id, query: streamQuery, from };
      return markReplay(buildEventReply(deps, stream, auth.recheck), replayed);
    });
  const authenticateForRun = authenticateRun(authenticator);
  return apiHandler<StreamAuth>(
    [
      ...versionRoutes(runStreamRoutes, deps, runAndStream),
      on(routes.updateStream, async ({ auth, params: { workspace, id }, query, headers }) => {
        const find = ({ actor }: RunAuth) => findJob(deps, { actor, action: routes.updateStream }, { workspace, id });
        const job = await find(auth);
        const stream = { workspace, id: job.id, query, from: parseEventId(headers["last-event-id"]) };
        return replyInSlot(deps, toTokenReader(auth.actor), async () =>
          buildEventReply(deps, stream, async () => find(await auth.recheck())),
        );
      }),
    ],
    async (token, route, params) => {
      const again = async (): Promise<RunAuth> => {
        if (params["id"] === undefined) return authenticateForRun(token, route, params);
        const { actor } = await authenticate(authenticator, token, { workspace: params["workspace"] });
        checkAccess(actor, route, params);
        return { actor, head: undefined };
      };
      return { ...(await again()), recheck: again };
    },
  );
}
