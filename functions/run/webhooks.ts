import { flowRunRoutes as flowRoutes } from "../../contract/routes/flows/flow-runs.ts";
import { runRoutes as routes } from "../../contract/routes/jobs/runs.ts";
import type { EndState } from "../../core/jobs/record/job.ts";
import type { RunAndWaitDeps } from "../../services/execution/requests/run-and-wait.ts";
import { runAndWait } from "../../services/execution/requests/run-and-wait.ts";
import type { RunCall } from "../../services/execution/requests/run-request.ts";
import { type StartRunOptions, startRun } from "../../services/execution/requests/start-run.ts";
import { chooseRunStatus } from "../../services/settings/failed-status.ts";
import type { Uses } from "../../services/uses.ts";
import type { RouteHandler } from "../shared/edge/edge.ts";
import { type RunAuth, versionRoutes } from "../shared/edge/run-routes.ts";
import { markReplay, type Reply, text } from "../shared/reply/reply.ts";
import { buildResultReply } from "../shared/reply/result-reply.ts";

const startRoutes = [routes.runScriptByPath, routes.runScriptByHash, flowRoutes.runFlowByPath, flowRoutes.runFlowByVersion];
const waitRoutes = [
  routes.runWaitScriptByPath,
  routes.runWaitScriptByPathGet,
  routes.runWaitScriptByHash,
  routes.runWaitScriptByHashGet,
  flowRoutes.runWaitFlowByPath,
  flowRoutes.runWaitFlowByPathGet,
  flowRoutes.runWaitFlowByVersion,
  flowRoutes.runWaitFlowByVersionGet,
];

/** The webhooks of scripts and flows. Those that wait for a result answer a failed run with the status that the workspace has set. */
export const webhookRoutes = (deps: RunAndWaitDeps): RouteHandler<RunAuth>[] => [
  ...versionRoutes(startRoutes, deps, (request) => startAndReply(deps, request)),
  ...versionRoutes(waitRoutes, deps, (request, { query, params: { workspace } }) =>
    waitAndReply(deps, request, query, (state) => chooseRunStatus(deps, workspace, state)),
  ),
];

export const acceptedReply = (id: string): Reply => text(201, id, { "x-svc-job-id": id });

export async function startAndReply(deps: Uses<"jobs" | "objects" | "storage" | "queue" | "nowMs">, request: RunCall): Promise<Reply> {
  const { id, replayed } = await startRun(deps, request);
  return markReplay(acceptedReply(id), replayed);
}

/** The options of a request that waits for its result. */
export interface WaitOptions {
  queue_limit?: StartRunOptions["queueLimit"];
}

/**
 * Waits for the result of a run. `failedStatus` chooses the status of a failed run that does not choose one itself. Editors and command lines,
 * which send previews and dependencies, read the result itself.
 */
export async function waitAndReply(
  deps: RunAndWaitDeps,
  request: RunCall,
  { queue_limit: queueLimit }: WaitOptions,
  failedStatus: (state: EndState) => Promise<number> = async () => 200,
): Promise<Reply> {
  const answer = await runAndWait(deps, request, { queueLimit });
  const cookies = { path: cookiePathOf(request), nowMs: deps.nowMs() };
  return markReplay(buildResultReply(answer, { status: await failedStatus(answer.state), cookies }), answer.replayed);
}

/** Returns the address of the script or flow that waits for its result, to which its cookies are sent. */
function cookiePathOf({ job: { workspace }, version }: RunCall): string {
  if (!version) return `/api/w/${workspace}/jobs/run_wait_result/preview`;
  const { target } = version;
  return `/api/w/${workspace}/jobs/run_wait_result/${target.kind === "flow" ? "f" : "p"}/${target.version.path}`;
}
