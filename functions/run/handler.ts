import { jobTable } from "../../aws/dynamodb/job-table.ts";
import { objectTable } from "../../aws/dynamodb/object-table.ts";
import { findPublicKey } from "../../aws/kms/signing-keys.ts";
import { actions } from "../../contract/access/actions.ts";
import type { Payload } from "../../contract/payload.ts";
import { type FlowPreview, flowRunRoutes as flowRoutes } from "../../contract/routes/flows/flow-runs.ts";
import { dependencyRunRoutes as dependencyRoutes } from "../../contract/routes/jobs/dependency-runs.ts";
import { bundlePreviewSchema, type RunQuery, runRoutes as routes } from "../../contract/routes/jobs/runs.ts";
import { buildDependenciesRequest, buildFlowDependenciesRequest } from "../../services/execution/requests/dependency-request.ts";
import {
  buildBundlePreviewRequest,
  buildFlowPreviewRequest,
  buildPreviewRequest,
} from "../../services/execution/requests/preview-request.ts";
import { buildJobOptions, type RunCall } from "../../services/execution/requests/run-request.ts";
import { continueEarlierRun } from "../../services/flows/lifecycle/continue-earlier-run.ts";
import { restartRun } from "../../services/flows/lifecycle/restart.ts";
import { createSyncLimitReader } from "../../services/settings/sync-limit.ts";
import { apiHandler, on } from "../shared/edge/edge.ts";
import { authenticateRun, type RunAuth } from "../shared/edge/run-routes.ts";
import type { Reply } from "../shared/reply/reply.ts";
import { readBundleForm } from "../shared/request/bundle-form.ts";
import { executorDeps } from "../shared/wiring/executor.ts";
import { jobData } from "../shared/wiring/job-data.ts";
import { answerRerun } from "./rerun.ts";
import { inlineRoutes } from "./run-inline.ts";
import * as webhooks from "./webhooks.ts";

const nowMs = Date.now;
const deps = {
  ...executorDeps("run"),
  // The invocation ends after 30 s, with the answer to its caller.
  maxRetryMs: 4000,
  objects: objectTable,
  jobData,
  syncLimitMs: createSyncLimitReader({ objects: objectTable, nowMs }),
};

const startAndReply = (request: RunCall): Promise<Reply> => webhooks.startAndReply(deps, request);
const waitAndReply = (request: RunCall, query: webhooks.WaitOptions): Promise<Reply> => webhooks.waitAndReply(deps, request, query);

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

const buildFlowPreview = async (call: PreviewCall<RunQuery, FlowPreview>): Promise<RunCall> =>
  continueEarlierRun(deps, call.auth.actor, await buildFlowPreviewRequest(deps, toPreview(call)), call.body);

export const handler = apiHandler<RunAuth>(
  [
    ...webhooks.webhookRoutes(deps),
    on(routes.runPreview, async (call) => startAndReply(await buildPreviewRequest(deps, toPreview(call)))),
    on(routes.runPreviewBundle, async (call) => {
      const { body, file } = await readBundleForm(await call.readPayload(), "preview", bundlePreviewSchema);
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
      return webhooks.acceptedReply((await restartRun(deps, caller, { workspace, id }, { request: body, fields })).id);
    }),
    on(routes.rerunJobs, (call) => answerRerun(deps, call)),
  ],
  authenticateRun({ objects: objectTable, jobs: jobTable, publicKey: findPublicKey, nowMs }),
);
