import { SvcError } from "../../contract/errors.ts";
import type { FlowJson, MachineJson, NewFlow } from "../../contract/routes/flows/flows.ts";
import { flowRoutes as routes } from "../../contract/routes/flows/flows.ts";
import type { RunnableFlow } from "../../core/flows/version.ts";
import { keys } from "../../core/objects/keys.ts";
import { deleteFlow, setFlowArchived, setFlowMessage } from "../../services/flows/definitions/archive.ts";
import { requireFlowVersion, requireNewestFlow } from "../../services/flows/definitions/load.ts";
import {
  flowExists,
  getFlow,
  getFlowDeploymentStatus,
  getFlowVersion,
  listFlowHistory,
  listFlowPaths,
  listFlows,
  searchFlows,
} from "../../services/flows/definitions/read.ts";
import { createPathFilter, permit } from "../../services/identity/permit.ts";
import { listWebhookForms } from "../../services/scripts/webhooks.ts";
import { getAcl } from "../../services/workspaces/acls.ts";
import type { ApiRoutes } from "../shared/domain-api.ts";
import { on } from "../shared/edge.ts";
import { json, text } from "../shared/reply.ts";
import { deps } from "./deps.ts";

/** The flow is stored and returned as it was sent, including fields that this release does not know. */
const withSentValue = (body: NewFlow, { value }: NewFlow): NewFlow => ({ ...body, value });

async function withPermissions(workspace: string, flow: FlowJson): Promise<FlowJson> {
  return { ...flow, extra_perms: await getAcl(deps, { workspace, kind: "flow", path: flow.path }) };
}

/** The compiler is loaded on first use. */
async function loadMachine(flow: RunnableFlow): Promise<MachineJson> {
  const { describeMachine } = await import("../../services/flows/definitions/describe-machine.ts");
  return describeMachine(deps, flow);
}

/** Loaded on first use, so that the function starts faster. */
const importSave = () => import("../../services/flows/definitions/save.ts");

export const flows: ApiRoutes = [
  on(routes.createFlow, async ({ auth, params: { workspace }, body, sent }) =>
    text(201, await (await importSave()).saveFlow(deps, { actor: auth.actor, workspace }, withSentValue(body, sent))),
  ),
  on(routes.updateFlow, async ({ auth, params: { workspace, path }, body, sent }) =>
    text(200, await (await importSave()).saveFlow(deps, { actor: auth.actor, workspace }, withSentValue(body, sent), path)),
  ),
  on(routes.listFlows, async ({ auth, params: { workspace }, query }) =>
    json(200, await listFlows(deps, workspace, query, createPathFilter({ actor: auth.actor, workspace }, routes.listFlows.access))),
  ),
  on(routes.listFlowPaths, async ({ auth, params: { workspace } }) =>
    json(200, (await listFlowPaths(deps, workspace)).filter(createPathFilter({ actor: auth.actor, workspace }, routes.listFlows.access))),
  ),
  on(routes.searchFlows, async ({ auth, params: { workspace } }) =>
    json(200, await searchFlows(deps, workspace, createPathFilter({ actor: auth.actor, workspace }, routes.listFlows.access))),
  ),
  on(routes.getFlowVersion, async ({ auth, params: { workspace, version } }) => {
    const flow = await getFlowVersion(deps, workspace, version);
    const hidden = () => new SvcError("flow.versionNotFound", { version: String(version) });
    permit(auth.actor, routes.getFlowVersion, { workspace, path: flow.path }, hidden);
    return json(200, await withPermissions(workspace, flow));
  }),
  on(routes.getFlow, async ({ params: { workspace, path } }) =>
    json(200, await withPermissions(workspace, await getFlow(deps, workspace, path))),
  ),
  on(routes.existsFlow, async ({ params: { workspace, path } }) => json(200, await flowExists(deps, workspace, path))),
  on(routes.flowHistory, async ({ params: { workspace, path } }) => json(200, await listFlowHistory(deps, workspace, path))),
  on(routes.latestFlowVersion, async ({ params: { workspace, path } }) => json(200, (await listFlowHistory(deps, workspace, path))[0])),
  on(routes.updateFlowHistory, async ({ auth, params: { workspace, version }, body }) => {
    const { path } = await getFlowVersion(deps, workspace, version);
    const hidden = () => new SvcError("flow.versionNotFound", { version: String(version) });
    permit(auth.actor, routes.updateFlowHistory, { workspace, path }, hidden);
    await setFlowMessage(deps, workspace, version, body.deployment_msg ?? "");
    return text(200, `The message of version ${version} was changed.`);
  }),
  on(routes.flowDeploymentStatus, async ({ params: { workspace, path } }) =>
    json(200, await getFlowDeploymentStatus(deps, workspace, path)),
  ),
  on(routes.flowMachineAtVersion, async ({ auth, params: { workspace, version } }) => {
    const flow = requireFlowVersion(await deps.objects.get(keys.flowVersion(workspace, version)), version);
    const hidden = () => new SvcError("flow.versionNotFound", { version: String(version) });
    permit(auth.actor, routes.flowMachineAtVersion, { workspace, path: flow.path }, hidden);
    return json(200, await loadMachine(flow));
  }),
  on(routes.flowMachine, async ({ params: { workspace, path } }) =>
    json(200, await loadMachine(requireNewestFlow(await deps.objects.get(keys.flowHead(workspace, path)), path))),
  ),
  on(routes.flowWebhooks, async ({ params: { workspace, path } }) => {
    const { version } = requireNewestFlow(await deps.objects.get(keys.flowHead(workspace, path)), path);
    return json(200, listWebhookForms(deps.baseUrl, workspace, `f/${path}`, `fv/${version}`));
  }),
  on(routes.archiveFlow, async ({ auth, params: { workspace, path }, body }) => {
    const archived = body.archived ?? true;
    await setFlowArchived(deps, { actor: auth.actor, workspace }, path, archived);
    return text(200, `The flow ${path} is ${archived ? "archived" : "active again"}.`);
  }),
  on(routes.deleteFlow, async ({ auth, params: { workspace, path } }) => {
    await deleteFlow(deps, auth.actor, workspace, path);
    return text(200, path);
  }),
];
