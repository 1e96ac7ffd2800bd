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
import { collaborators as c } from "./collaborators.ts";

/** The flow itself comes back as it was sent, whatever it holds besides what is known here. */
const asSent = (body: NewFlow, { value }: NewFlow): NewFlow => ({ ...body, value });

async function withPerms(workspace: string, flow: FlowJson): Promise<FlowJson> {
  return { ...flow, extra_perms: await getAcl(c, { workspace, kind: "flow", path: flow.path }) };
}

/** The compiler is loaded with the first machine that somebody looks at. */
async function machineOf(flow: RunnableFlow): Promise<MachineJson> {
  const { describeMachine: machineShown } = await import("../../services/flows/definitions/describe-machine.ts");
  return machineShown(c, flow);
}

/** Loaded with the first flow that is saved: the function starts faster without this code. */
const saving = () => import("../../services/flows/definitions/save.ts");

export const flows: ApiRoutes = [
  on(routes.createFlow, async ({ auth, params: { workspace }, body, sent }) =>
    text(201, await (await saving()).saveFlow(c, { actor: auth.actor, workspace }, asSent(body, sent))),
  ),
  on(routes.updateFlow, async ({ auth, params: { workspace, path }, body, sent }) =>
    text(200, await (await saving()).saveFlow(c, { actor: auth.actor, workspace }, asSent(body, sent), path)),
  ),
  on(routes.listFlows, async ({ auth, params: { workspace }, query }) =>
    json(200, await listFlows(c, workspace, query, createPathFilter({ actor: auth.actor, workspace }, routes.listFlows.access))),
  ),
  on(routes.listFlowPaths, async ({ auth, params: { workspace } }) =>
    json(200, (await listFlowPaths(c, workspace)).filter(createPathFilter({ actor: auth.actor, workspace }, routes.listFlows.access))),
  ),
  on(routes.searchFlows, async ({ auth, params: { workspace } }) =>
    json(200, await searchFlows(c, workspace, createPathFilter({ actor: auth.actor, workspace }, routes.listFlows.access))),
  ),
  on(routes.getFlowVersion, async ({ auth, params: { workspace, version } }) => {
    const flow = await getFlowVersion(c, workspace, version);
    const hidden = () => new SvcError("flow.versionNotFound", { version: String(version) });
    permit(auth.actor, routes.getFlowVersion, { workspace, path: flow.path }, hidden);
    return json(200, await withPerms(workspace, flow));
  }),
  on(routes.getFlow, async ({ params: { workspace, path } }) => json(200, await withPerms(workspace, await getFlow(c, workspace, path)))),
  on(routes.existsFlow, async ({ params: { workspace, path } }) => json(200, await flowExists(c, workspace, path))),
  on(routes.flowHistory, async ({ params: { workspace, path } }) => json(200, await listFlowHistory(c, workspace, path))),
  on(routes.latestFlowVersion, async ({ params: { workspace, path } }) => json(200, (await listFlowHistory(c, workspace, path))[0])),
  on(routes.updateFlowHistory, async ({ auth, params: { workspace, version }, body }) => {
    const { path } = await getFlowVersion(c, workspace, version);
    const hidden = () => new SvcError("flow.versionNotFound", { version: String(version) });
    permit(auth.actor, routes.updateFlowHistory, { workspace, path }, hidden);
    await setFlowMessage(c, workspace, version, body.deployment_msg ?? "");
    return text(200, `The message of version ${version} was changed.`);
  }),
  on(routes.flowDeploymentStatus, async ({ params: { workspace, path } }) => json(200, await getFlowDeploymentStatus(c, workspace, path))),
  on(routes.flowMachineAtVersion, async ({ auth, params: { workspace, version } }) => {
    const flow = requireFlowVersion(await c.objects.get(keys.flowVersion(workspace, version)), version);
    const hidden = () => new SvcError("flow.versionNotFound", { version: String(version) });
    permit(auth.actor, routes.flowMachineAtVersion, { workspace, path: flow.path }, hidden);
    return json(200, await machineOf(flow));
  }),
  on(routes.flowMachine, async ({ params: { workspace, path } }) =>
    json(200, await machineOf(requireNewestFlow(await c.objects.get(keys.flowHead(workspace, path)), path))),
  ),
  on(routes.flowWebhooks, async ({ params: { workspace, path } }) => {
    const { version } = requireNewestFlow(await c.objects.get(keys.flowHead(workspace, path)), path);
    return json(200, listWebhookForms(c.baseUrl, workspace, `f/${path}`, `fv/${version}`));
  }),
  on(routes.archiveFlow, async ({ auth, params: { workspace, path }, body }) => {
    const archived = body.archived ?? true;
    await setFlowArchived(c, { actor: auth.actor, workspace }, path, archived);
    return text(200, `The flow ${path} is ${archived ? "archived" : "active again"}.`);
  }),
  on(routes.deleteFlow, async ({ auth, params: { workspace, path } }) => {
    await deleteFlow(c, auth.actor, workspace, path);
    return text(200, path);
  }),
];
