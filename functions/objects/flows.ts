import type { TokenRoute } from "../../contract/route.ts";
import type { NewFlow } from "../../contract/routes/flows/flows.ts";
import { flowRoutes as routes } from "../../contract/routes/flows/flows.ts";
import { flowHeadObject } from "../../core/flows/version.ts";
import { findOwnRule } from "../../core/outcome-handlers/failure-notices.ts";
import { addStar, loadListViewer } from "../../services/console/favorites.ts";
import { deleteFlow, setFlowArchived, setFlowMessage } from "../../services/flows/definitions/archive.ts";
import { requireNewestFlow } from "../../services/flows/definitions/load.ts";
import { muteFlowErrorHandler } from "../../services/flows/definitions/mute-error-handler.ts";
import {
  flowExists,
  getFlow,
  getFlowDeploymentStatus,
  getFlowVersion,
  listFlowHistory,
  listFlowPaths,
  listFlows,
  listFlowWebhooks,
  searchFlows,
} from "../../services/flows/definitions/read.ts";
import { createPathFilter, type ObjectCaller } from "../../services/identity/permit.ts";
import { listRunTokens } from "../../services/identity/tokens/tokens.ts";
import { loadFailureNotices, setOwnFailureNotice } from "../../services/workspaces/failure-notices.ts";
import type { ApiRoutes, Auth } from "../shared/edge/domain-api.ts";
import { on } from "../shared/edge/edge.ts";
import { json, nameAuditedResource, text, versioned } from "../shared/reply/reply.ts";
import { countStarters } from "./count-starters.ts";
import { deps } from "./deps.ts";
import { describeFailureNotice } from "./describe-failure-notice.ts";
import { warnOfHttpRoutes } from "./warn-of-http-routes.ts";

/** The flow is stored and returned as it was sent, including fields that this release does not know. */
const withSentValue = (body: NewFlow, { value }: NewFlow): NewFlow => ({ ...body, value });

const callerOf = ({ actor }: Auth, action: TokenRoute, workspace: string): ObjectCaller => ({ actor, action, workspace });

/** Loaded on first use, so that the function starts faster. */
const importDescribeMachine = () => import("../../services/flows/definitions/describe-machine.ts");
const importSave = () => import("../../services/flows/definitions/save.ts");

export const flows: ApiRoutes = [
  on(routes.createFlow, async ({ auth: { actor }, params: { workspace }, body, rawBody }) => {
    const reply = text(201, await (await importSave()).saveFlow(deps, { actor, workspace }, withSentValue(body, rawBody)));
    return warnOfHttpRoutes(reply, { actor, workspace }, { path: body.path, isFlow: true });
  }),
  on(routes.updateFlow, async ({ auth: { actor }, params: { workspace, path }, body, rawBody, expected }) => {
    const { saveFlow } = await importSave();
    const reply = text(200, await saveFlow(deps, { actor, workspace, at: path, expected }, withSentValue(body, rawBody)));
    return warnOfHttpRoutes(reply, { actor, workspace }, { path: body.path, isFlow: true });
  }),
  on(routes.listFlows, async ({ auth, params: { workspace }, query }) =>
    json(
      200,
      await listFlows(
        deps,
        workspace,
        query,
        await loadListViewer(deps, { actor: auth.actor, workspace }, "flow", routes.listFlows.access),
      ),
    ),
  ),
  on(routes.listFlowPaths, async ({ auth, params: { workspace } }) =>
    json(200, await listFlowPaths(deps, workspace, createPathFilter({ actor: auth.actor, workspace }, routes.listFlows.access))),
  ),
  on(routes.searchFlows, async ({ auth, params: { workspace } }) =>
    json(200, await searchFlows(deps, workspace, createPathFilter({ actor: auth.actor, workspace }, routes.listFlows.access))),
  ),
  on(routes.getFlowVersion, async ({ auth, params: { workspace, version } }) =>
    json(200, await getFlowVersion(deps, callerOf(auth, routes.getFlowVersion, workspace), version)),
  ),
  on(routes.getFlow, async ({ auth: { actor }, params: { workspace, path }, query }) => {
    const flow = await getFlow(deps, workspace, path);
    return versioned({
      json: query.with_starred_info ? await addStar(deps, { actor, workspace }, "flow", flow) : flow,
      version: String(flow.version_id),
    });
  }),
  on(routes.existsFlow, async ({ params: { workspace, path } }) => json(200, await flowExists(deps, workspace, path))),
  on(routes.flowHistory, async ({ params: { workspace, path } }) => json(200, await listFlowHistory(deps, workspace, path))),
  on(routes.latestFlowVersion, async ({ params: { workspace, path } }) => json(200, (await listFlowHistory(deps, workspace, path))[0])),
  on(routes.updateFlowHistory, async ({ auth, params: { workspace, version }, body }) => {
    const path = await setFlowMessage(deps, callerOf(auth, routes.updateFlowHistory, workspace), version, body.deployment_msg ?? "");
    return nameAuditedResource(text(200, `The message of version ${version} was changed.`), path);
  }),
  on(routes.flowDeploymentStatus, async ({ params: { workspace, path } }) =>
    json(200, await getFlowDeploymentStatus(deps, workspace, path)),
  ),
  on(routes.flowMachineAtVersion, async ({ auth, params: { workspace, version } }) => {
    const { describeMachineAtVersion } = await importDescribeMachine();
    return json(200, await describeMachineAtVersion(deps, callerOf(auth, routes.flowMachineAtVersion, workspace), version));
  }),
  on(routes.flowMachine, async ({ params: { workspace, path } }) => {
    const { describeNewestMachine } = await importDescribeMachine();
    return json(200, await describeNewestMachine(deps, workspace, path));
  }),
  on(routes.flowWebhooks, async ({ params: { workspace, path } }) => json(200, await listFlowWebhooks(deps, workspace, path))),
  on(routes.listFlowTokens, async ({ auth: { actor }, params: { workspace, path } }) => {
    requireNewestFlow(await deps.objects.get(flowHeadObject.key(workspace, path)), path);
    return json(200, await listRunTokens(deps, { actor, workspace }, { runs: "flows", path }));
  }),
  on(routes.countFlowTriggers, async ({ auth: { actor }, params: { workspace, path } }) => {
    requireNewestFlow(await deps.objects.get(flowHeadObject.key(workspace, path)), path);
    return json(200, await countStarters({ actor, workspace }, { path, isFlow: true }));
  }),
  on(routes.getFlowFailureNotice, async ({ params: { workspace, path } }) => {
    requireNewestFlow(await deps.objects.get(flowHeadObject.key(workspace, path)), path);
    return json(200, findOwnRule(await loadFailureNotices(deps.objects, workspace), path));
  }),
  on(routes.editFlowFailureNotice, async ({ params: { workspace, path }, body }) => {
    requireNewestFlow(await deps.objects.get(flowHeadObject.key(workspace, path)), path);
    await setOwnFailureNotice(deps, workspace, path, body);
    return text(200, describeFailureNotice(path, body));
  }),
  on(routes.muteFlowErrorHandler, async ({ auth: { actor }, params: { workspace, path }, body, expected }) => {
    const muted = body.muted ?? false;
    await muteFlowErrorHandler(deps, { actor, workspace, path, expected }, muted);
    return text(200, `The workspace's error handler ${muted ? "ignores" : "handles"} failures of ${path}.`);
  }),
  on(routes.archiveFlow, async ({ auth, params: { workspace, path }, body, expected }) => {
    const archived = body.archived ?? true;
    await setFlowArchived(deps, { actor: auth.actor, workspace, path, expected }, archived);
    return text(200, `The flow ${path} is ${archived ? "archived" : "active again"}.`);
  }),
  on(routes.deleteFlow, async ({ auth, params: { workspace, path }, expected }) => {
    await deleteFlow(deps, { actor: auth.actor, workspace, path, expected });
    return text(200, path);
  }),
];
