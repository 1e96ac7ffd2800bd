import type { TokenRoute } from "../../contract/route.ts";
import { scriptRoutes as routes } from "../../contract/routes/stored/scripts.ts";
import { createPathFilter, type ObjectCaller } from "../../services/identity/permit.ts";
import { archiveScript, archiveScriptVersion, deleteScript, deleteScriptVersion } from "../../services/scripts/archive.ts";
import {
  getRawScript,
  getRawScriptVersion,
  getScript,
  getScriptDeploymentStatus,
  getScriptVersion,
  listScriptHistory,
  listScriptPaths,
  listScripts,
  scriptExists,
} from "../../services/scripts/read.ts";
import { listScriptWebhooks } from "../../services/scripts/webhooks.ts";
import type { ApiRoutes, Auth } from "../shared/domain-api.ts";
import { on } from "../shared/edge.ts";
import { json, text } from "../shared/reply.ts";
import { deps } from "./deps.ts";

const callerOf = ({ actor }: Auth, action: TokenRoute, workspace: string): ObjectCaller => ({ actor, action, workspace });

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
  on(routes.getScriptByPath, async ({ params: { workspace, path } }) => json(200, await getScript(deps, workspace, path))),
  on(routes.getScriptByHash, async ({ auth, params: { workspace, hash } }) =>
    json(200, await getScriptVersion(deps, callerOf(auth, routes.getScriptByHash, workspace), hash)),
  ),
  on(routes.rawScriptByPath, async ({ params: { workspace, path } }) => text(200, await getRawScript(deps, workspace, path))),
  on(routes.rawScriptByHash, async ({ auth, params: { workspace, path } }) =>
    text(200, await getRawScriptVersion(deps, callerOf(auth, routes.rawScriptByHash, workspace), path)),
  ),
  on(routes.existsScript, async ({ params: { workspace, path } }) => json(200, await scriptExists(deps, workspace, path))),
  on(routes.scriptHistory, async ({ params: { workspace, path } }) => json(200, await listScriptHistory(deps, workspace, path))),
  on(routes.latestVersion, async ({ params: { workspace, path } }) => json(200, (await listScriptHistory(deps, workspace, path))[0])),
  on(routes.deploymentStatus, async ({ auth, params: { workspace, hash } }) =>
    json(200, await getScriptDeploymentStatus(deps, callerOf(auth, routes.deploymentStatus, workspace), hash)),
  ),
  on(routes.scriptWebhooks, async ({ params: { workspace, path } }) => json(200, await listScriptWebhooks(deps, workspace, path))),
  on(routes.archiveScriptByPath, async ({ auth, params: { workspace, path } }) => {
    await archiveScript(deps, auth.actor, workspace, path);
    return text(200, `The script ${path} was archived.`);
  }),
  on(routes.archiveScriptByHash, async ({ auth, params: { workspace, hash } }) =>
    json(200, await archiveScriptVersion(deps, callerOf(auth, routes.archiveScriptByHash, workspace), hash)),
  ),
  on(routes.deleteScriptByPath, async ({ auth, params: { workspace, path } }) => {
    await deleteScript(deps, auth.actor, workspace, path);
    return text(200, path);
  }),
  on(routes.deleteScriptByHash, async ({ auth, params: { workspace, hash } }) =>
    json(200, await deleteScriptVersion(deps, callerOf(auth, routes.deleteScriptByHash, workspace), hash)),
  ),
];
