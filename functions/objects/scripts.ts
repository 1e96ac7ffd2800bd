import { SvcError } from "../../contract/errors.ts";
import type { TokenRoute } from "../../contract/route.ts";
import { scriptRoutes as routes, type ScriptJson } from "../../contract/routes/stored/scripts.ts";
import { keys } from "../../core/objects/keys.ts";
import type { Actor } from "../../core/people/actor.ts";
import { createPathFilter, permit } from "../../services/identity/permit.ts";
import { archiveScript, archiveScriptVersion, deleteScript, deleteScriptVersion } from "../../services/scripts/archive.ts";
import { parseScript, requireNewestScript, requireScriptVersion } from "../../services/scripts/load.ts";
import {
  getRawScript,
  getScript,
  getScriptDeploymentStatus,
  getScriptVersion,
  listScriptHistory,
  listScriptPaths,
  listScripts,
  scriptExists,
} from "../../services/scripts/read.ts";
import { listWebhookForms } from "../../services/scripts/webhooks.ts";
import { getAcl } from "../../services/workspaces/acls.ts";
import type { ApiRoutes } from "../shared/domain-api.ts";
import { on } from "../shared/edge.ts";
import { json, text } from "../shared/reply.ts";
import { deps } from "./deps.ts";

/** Checks the caller's right to a version, which depends on the version's path. Throws `script.versionNotFound`. */
function requirePermission<V extends { workspace_id: string; path: string; hash: string }>(actor: Actor, route: TokenRoute, version: V): V {
  const { workspace_id: workspace, path, hash } = version;
  permit(actor, route, { workspace, path }, () => new SvcError("script.versionNotFound", { hash }));
  return version;
}

async function withPermissions(script: ScriptJson): Promise<ScriptJson> {
  return { ...script, extra_perms: await getAcl(deps, { workspace: script.workspace_id, kind: "script", path: script.path }) };
}

/** Loaded on first use, so that the function starts faster. */
const importSave = () => import("../../services/scripts/create.ts");

export const scripts: ApiRoutes = [
  on(routes.createScript, async ({ auth, params: { workspace }, query, body }) =>
    text(
      201,
      await (await importSave()).createScript(deps, { actor: auth.actor, workspace }, body, { skipIfNoop: query.skip_if_noop ?? false }),
    ),
  ),
  on(routes.updateScript, async ({ auth: { actor }, params: { workspace, path }, body }) =>
    text(200, await (await importSave()).updateScript(deps, { actor, workspace }, path, body)),
  ),
  on(routes.listScripts, async ({ auth, params: { workspace }, query }) =>
    json(200, await listScripts(deps, workspace, query, createPathFilter({ actor: auth.actor, workspace }, routes.listScripts.access))),
  ),
  on(routes.listScriptPaths, async ({ auth: { actor }, params: { workspace } }) =>
    json(200, await listScriptPaths(deps, workspace, createPathFilter({ actor, workspace }, routes.listScripts.access))),
  ),
  on(routes.getScriptByPath, async ({ params: { workspace, path } }) =>
    json(200, await withPermissions(await getScript(deps, workspace, path))),
  ),
  on(routes.getScriptByHash, async ({ auth, params: { workspace, hash } }) =>
    json(200, await withPermissions(requirePermission(auth.actor, routes.getScriptByHash, await getScriptVersion(deps, workspace, hash)))),
  ),
  on(routes.rawScriptByPath, async ({ params: { workspace, path } }) => text(200, await getRawScript(deps, workspace, path))),
  on(routes.rawScriptByHash, async ({ auth, params: { workspace, path } }) => {
    const hash = path.split(".")[0] ?? path;
    if (!/^[0-9a-f]{16}$/.test(hash)) throw new SvcError("script.versionNotFound", { hash });
    return text(200, requirePermission(auth.actor, routes.rawScriptByHash, await getScriptVersion(deps, workspace, hash)).content);
  }),
  on(routes.existsScript, async ({ params: { workspace, path } }) => json(200, await scriptExists(deps, workspace, path))),
  on(routes.scriptHistory, async ({ params: { workspace, path } }) => json(200, await listScriptHistory(deps, workspace, path))),
  on(routes.latestVersion, async ({ params: { workspace, path } }) => json(200, (await listScriptHistory(deps, workspace, path))[0])),
  on(routes.deploymentStatus, async ({ auth, params: { workspace, hash } }) => {
    const { path } = requireScriptVersion(await deps.objects.get(keys.version(workspace, hash)), hash);
    requirePermission(auth.actor, routes.deploymentStatus, { workspace_id: workspace, path, hash });
    return json(200, await getScriptDeploymentStatus(deps, workspace, hash));
  }),
  on(routes.scriptWebhooks, async ({ params: { workspace, path } }) => {
    const { hash } = requireNewestScript(await deps.objects.get(keys.scriptHead(workspace, path)), path);
    return json(200, listWebhookForms(deps.baseUrl, workspace, `p/${path}`, `h/${hash}`));
  }),
  on(routes.archiveScriptByPath, async ({ auth, params: { workspace, path } }) => {
    await archiveScript(deps, auth.actor, workspace, path);
    return text(200, `The script ${path} was archived.`);
  }),
  on(routes.archiveScriptByHash, async ({ auth, params: { workspace, hash } }) => {
    requirePermission(auth.actor, routes.archiveScriptByHash, await getScriptVersion(deps, workspace, hash));
    await archiveScriptVersion(deps, auth.actor, workspace, hash);
    return json(200, await getScriptVersion(deps, workspace, hash));
  }),
  on(routes.deleteScriptByPath, async ({ auth, params: { workspace, path } }) => {
    await deleteScript(deps, auth.actor, workspace, path);
    return text(200, path);
  }),
  on(routes.deleteScriptByHash, async ({ auth, params: { workspace, hash } }) => {
    // A deleted version can be deleted again, to complete an earlier call that failed halfway.
    const found = parseScript(await deps.objects.get(keys.version(workspace, hash)));
    if (found) requirePermission(auth.actor, routes.deleteScriptByHash, { workspace_id: workspace, path: found.path, hash });
    return json(200, await deleteScriptVersion(deps, auth.actor, workspace, hash));
  }),
];
