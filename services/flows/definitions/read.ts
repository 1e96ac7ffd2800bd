import { defined } from "../../../contract/defined.ts";
import { SvcError } from "../../../contract/errors.ts";
import type { FlowHistoryJson, FlowJson, FlowListQuery, ListedFlowJson } from "../../../contract/routes/flows/flows.ts";
import { flowHeadObject, flowHistoryObject, flowListingObject, type RunnableFlow, toFlowJson } from "../../../core/flows/version.ts";
import { paginate } from "../../../core/objects/page.ts";
import { isListed, type ListViewer } from "../../console/favorites.ts";
import type { ObjectCaller } from "../../identity/permit.ts";
import { loadAtPaths } from "../../objects/load-page.ts";
import { listWebhookForms, type WebhookForm } from "../../scripts/webhooks.ts";
import type { Uses } from "../../uses.ts";
import { getAcl } from "../../workspaces/acls.ts";
import { settleFlowBuild } from "./build.ts";
import { findPermittedFlow, loadFlow, parseFlow, requireNewestFlow } from "./load.ts";

/** Returns a flow with its extra permissions. */
async function loadFlowJson(deps: Uses<"objects" | "storage">, workspace: string, flow: RunnableFlow): Promise<FlowJson> {
  const json = toFlowJson(await loadFlow(deps, workspace, flow.version), flow);
  return { ...json, extra_perms: await getAcl(deps, { workspace, kind: "flow", path: flow.path }) };
}

/** Returns the newest version at a path, even of an archived flow. Throws `flow.notFound`. */
export async function getFlow(deps: Uses<"objects" | "storage">, workspace: string, path: string): Promise<FlowJson> {
  const flow = parseFlow(await deps.objects.get(flowHeadObject.key(workspace, path)));
  if (!flow) throw new SvcError("flow.notFound", { path });
  return loadFlowJson(deps, workspace, flow);
}

/** Returns a version. Throws `flow.versionNotFound`. */
export async function getFlowVersion(deps: Uses<"objects" | "storage">, caller: ObjectCaller, version: number): Promise<FlowJson> {
  return loadFlowJson(deps, caller.workspace, await findPermittedFlow(deps, caller, version));
}

/** Returns whether a flow that is not archived exists at a path. */
export async function flowExists({ objects }: Uses<"objects">, workspace: string, path: string): Promise<boolean> {
  const flow = parseFlow(await objects.get(flowHeadObject.key(workspace, path)));
  return flow !== undefined && !flow.archived;
}

/**
 * Lists the flows that match a query and that the caller may read, newest first by default. Equal times are sorted by path, so that pages
 * are stable.
 */
export async function listFlows(
  deps: Uses<"objects">,
  workspace: string,
  query: FlowListQuery,
  viewer: ListViewer,
): Promise<ListedFlowJson[]> {
  const order = query.order_desc === false ? 1 : -1;
  const found = (await loadAtPaths(deps, flowListingObject, workspace, query))
    .filter(
      (flow) =>
        isListed(viewer, flow.path, query) &&
        (query.show_archived ?? false) === flow.archived &&
        (query.path_start === undefined || flow.path.startsWith(query.path_start)) &&
        (query.path_exact === undefined || flow.path === query.path_exact) &&
        (query.created_by === undefined || flow.createdBy === query.created_by) &&
        (query.label === undefined || (flow.labels ?? []).includes(query.label)) &&
        (query.dedicated_worker === undefined || (flow.dedicated_worker ?? false) === query.dedicated_worker),
    )
    .sort((a, b) => order * (a.createdAtMs - b.createdAtMs) || a.path.localeCompare(b.path));
  return paginate(found, query).map(({ version, hash, createdBy, createdAtMs, archived, ...fields }) => {
    const stored = { sent: { ...fields, value: { modules: [] } }, version, hash, createdBy, createdAtMs };
    const { value, ...flow } = toFlowJson(stored, { workspace, archived, build: { state: "pending", job: "" } });
    return { ...flow, starred: viewer.starred.has(flow.path), ...(query.without_description ? { description: "" } : {}) };
  });
}

/** Lists the paths of the flows that are not archived and that the caller may read. */
export async function listFlowPaths(deps: Uses<"objects">, workspace: string, readable: (path: string) => boolean): Promise<string[]> {
  return (await loadAtPaths(deps, flowListingObject, workspace))
    .filter(({ archived, path }) => !archived && readable(path))
    .map(({ path }) => path);
}

/** Returns the values of all flows that the caller may read, for a search in their content. */
export async function searchFlows(deps: Uses<"objects" | "storage">, workspace: string, readable: (path: string) => boolean) {
  const found = (await loadAtPaths(deps, flowListingObject, workspace)).filter(({ path, archived }) => !archived && readable(path));
  return Promise.all(found.map(async ({ path, version }) => ({ path, value: (await loadFlow(deps, workspace, version)).sent.value })));
}

/** Lists the versions saved at a path, newest first. Throws `flow.notFound` if there never was one. */
export async function listFlowHistory({ objects }: Uses<"objects">, workspace: string, path: string): Promise<FlowHistoryJson[]> {
  const stored = await objects.list(flowHistoryObject.partitionKey(workspace, path), { newestFirst: true });
  if (stored.length === 0) throw new SvcError("flow.notFound", { path });
  return flowHistoryObject.parseReadable(stored).map(({ version, hash, createdAtMs, createdBy, message }) => ({
    id: version,
    hash,
    created_at: new Date(createdAtMs).toISOString(),
    created_by: createdBy,
    ...defined({ deployment_msg: message }),
  }));
}

/** Returns the state of the newest version's build. Throws `flow.notFound`. */
export async function getFlowDeploymentStatus(
  deps: Uses<"jobs" | "objects" | "queue">,
  workspace: string,
  path: string,
): Promise<{ lock_error_logs?: string; job_id: string }> {
  const build = await settleFlowBuild(deps, requireNewestFlow(await deps.objects.get(flowHeadObject.key(workspace, path)), path));
  return { ...(build.state === "failed" ? { lock_error_logs: build.error } : {}), job_id: build.job };
}

/** Lists the HTTP requests that run a flow. Throws `flow.notFound`. */
export async function listFlowWebhooks(
  { objects, baseUrl }: Uses<"objects"> & { baseUrl: string },
  workspace: string,
  path: string,
): Promise<WebhookForm[]> {
  const { version } = requireNewestFlow(await objects.get(flowHeadObject.key(workspace, path)), path);
  return listWebhookForms(baseUrl, workspace, `f/${path}`, `fv/${version}`);
}
