import { jobTable } from "../../aws/dynamodb/job-table.ts";
import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { findPublicKey } from "../../aws/kms/signing-keys.ts";
import { actions } from "../../contract/access/actions.ts";
import type { Payload } from "../../contract/payload.ts";
import { type FlowPreview, flowRunRoutes as flowRoutes } from "../../contract/routes/flows/flow-runs.ts";
import { dependencyRunRoutes as dependencyRoutes } from "../../contract/routes/jobs/dependency-runs.ts";
import { bundlePreviewSchema, type RunQuery, runRoutes as routes } from "../../contract/routes/jobs/runs.ts";
import type { EndState } from "../../core/jobs/job.ts";
import { buildDependenciesRequest, buildFlowDependenciesRequest } from "../../services/execution/requests/dependency-request.ts";
import {
  buildBundlePreviewRequest,
  buildFlowPreviewRequest,
  buildPreviewRequest,
} from "../../services/execution/requests/preview-request.ts";
import { runAndWait } from "../../services/execution/requests/run-and-wait.ts";
import { buildJobOptions, getJobOptions, type RunRequest } from "../../services/execution/requests/run-request.ts";
import { type StartRunOptions, startRun } from "../../services/execution/requests/start-run.ts";
import { continueEarlierRun } from "../../services/flows/lifecycle/continue-earlier-run.ts";
import { restartRun } from "../../services/flows/lifecycle/restart.ts";
import { chooseRunStatus } from "../../services/settings/failed-status.ts";
import { createSyncLimitReader } from "../../services/settings/sync-limit.ts";
import { readBundleForm } from "../shared/bundle-form.ts";
import { apiHandler, on } from "../shared/edge.ts";
import { markReplay, type Reply, text } from "../shared/reply.ts";
import { buildResultReply } from "../shared/result-reply.ts";
import { authenticateRun, type RunAuth, versionRoutes } from "../shared/run-routes.ts";
import { executorDeps } from "../shared/wiring/executor.ts";
import { jobData } from "../shared/wiring/job-data.ts";
import { answerRerun } from "./rerun.ts";
import { inlineRoutes } from "./run-inline.ts";

const nowMs = Date.now;
const deps = {
  ...executorDeps("run"),
  // The invocation ends after 30 s, with the answer to its caller.
  maxRetryMs: 4000,
  objects: objectTable,
  jobData,
  syncLimitMs: createSyncLimitReader({ objects: objectTable, nowMs }),
};

const acceptedReply = (id: string): Reply => text(201, id, { "x-svc-job-id": id });

async function startAndReply(request: RunRequest): Promise<Reply> {
  const { id, replayed } = await startRun(deps, request);
  return markReplay(acceptedReply(id), replayed);
}

/** `failedStatus`: chooses the status of a failed run that does not choose one itself. */
async function waitAndReply(
  request: RunRequest,
  { queue_limit: queueLimit }: { queue_limit?: StartRunOptions["queueLimit"] },
  failedStatus: (state: EndState) => Promise<number> = async () => 200,
): Promise<Reply> {
  const answer = await runAndWait(deps, request, { queueLimit });
  return markReplay(buildResultReply(answer, { status: await failedStatus(answer.state) }), answer.replayed);
}

/** Webhooks answer as the workspace asks. Editors and command lines, which send previews and dependencies, read the result itself. */
const answerWebhook = (request: RunRequest, query: { queue_limit?: StartRunOptions["queueLimit"] }): Promise<Reply> =>
  waitAndReply(request, query, (state) => chooseRunStatus(deps, getJobOptions(request).workspace, state));

interface PreviewCall<Query, Body> {
  auth: RunAuth;
  params: { workspace: string };
  query: Query;
  body: Body;
  headers: Payload["headers"];
}
const toPreview = <Query, Body>({ auth: { actor }, params: { workspace }, query, body, headers }: PreviewCall<Query, Body>) => ({
  actor,
  workspace,
  query,
  body,
  headers,
});

const buildFlowPreview = async (call: PreviewCall<RunQuery, FlowPreview>): Promise<RunRequest> =>
  continueEarlierRun(deps, call.auth.actor, await buildFlowPreviewRequest(deps, toPreview(call)), call.body);

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

export const handler = apiHandler<RunAuth>(
  [
    ...versionRoutes(startRoutes, deps, startAndReply),
    ...versionRoutes(waitRoutes, deps, (request, { query }) => answerWebhook(request, query)),
    on(routes.runPreview, async (call) => startAndReply(await buildPreviewRequest(deps, toPreview(call)))),
    on(routes.runPreviewBundle, async (call) => {
      const { body, file } = await readBundleForm(call.payload, "preview", bundlePreviewSchema);
      return startAndReply(await buildBundlePreviewRequest(deps, { ...toPreview({ ...call, body }), bytes: file }));
    }),
    on(routes.runWaitPreview, async (call) => waitAndReply(await buildPreviewRequest(deps, toPreview(call)), call.query)),
    on(routes.runInlinePreview, async (call) => waitAndReply(await buildPreviewRequest(deps, toPreview(call)), call.query)),
    on(dependencyRoutes.runDependencies, async (call) => waitAndReply(await buildDependenciesRequest(deps, toPreview(call)), call.query)),
    on(dependencyRoutes.runDependenciesAsync, async (call) => startAndReply(await buildDependenciesRequest(deps, toPreview(call)))),
    on(dependencyRoutes.runFlowDependenciesAsync, async (call) => startAndReply(await buildFlowDependenciesRequest(deps, toPreview(call)))),
    ...inlineRoutes(deps, (request) => waitAndReply(request, {})),
    on(flowRoutes.runFlowPreview, async (call) => startAndReply(await buildFlowPreview(call))),
    on(flowRoutes.runWaitFlowPreview, async (call) => waitAndReply(await buildFlowPreview(call), call.query)),
    on(flowRoutes.restartFlow, async ({ auth: { actor }, params: { workspace, id }, query, body }) => {
      const caller = { actor, action: actions.readJob };
      const fields = await buildJobOptions(deps, actor, workspace, query);
      return acceptedReply((await restartRun(deps, caller, { workspace, id }, { request: body, fields })).id);
    }),
    on(routes.rerunJobs, (call) => answerRerun(deps, call)),
  ],
  authenticateRun({ objects: objectTable, jobs: jobTable, publicKey: findPublicKey, nowMs }),
);
