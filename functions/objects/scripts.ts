import type { TokenRoute } from "../../contract/route.ts";
import { newScriptSchema } from "../../contract/routes/stored/script.ts";
import { scriptDeclarationRoutes } from "../../contract/routes/stored/script-declarations.ts";
import { scriptRoutes as routes } from "../../contract/routes/stored/scripts.ts";
import { findOwnRule } from "../../core/outcome-handlers/failure-notices.ts";
import { scriptHeadObject } from "../../core/scripts/version.ts";
import { addStar, loadListViewer } from "../../services/console/favorites.ts";
import { createPathFilter, type ObjectCaller } from "../../services/identity/permit.ts";
import { listRunTokens } from "../../services/identity/tokens/tokens.ts";
import { archiveScript, archiveScriptVersion, deleteScript, deleteScriptVersion } from "../../services/scripts/archive.ts";
import { muteScriptErrorHandler, setScriptMessage } from "../../services/scripts/change-version.ts";
import { getScriptDeclarations, getSourceDeclarations } from "../../services/scripts/declarations.ts";
import { requireNewestScript } from "../../services/scripts/load.ts";
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
  searchScripts,
} from "../../services/scripts/read.ts";
import { listScriptWebhooks } from "../../services/scripts/webhooks.ts";
import { loadFailureNotices, setOwnFailureNotice } from "../../services/workspaces/failure-notices.ts";
import type { ApiRoutes, Auth } from "../shared/edge/domain-api.ts";
import { on } from "../shared/edge/edge.ts";
import { json, nameAuditedResource, text, versioned } from "../shared/reply/reply.ts";
import { readBundleForm } from "../shared/request/bundle-form.ts";
import { countStarters } from "./count-starters.ts";
import { deps } from "./deps.ts";
import { describeFailureNotice } from "./describe-failure-notice.ts";
import { warnOfHttpRoutes } from "./warn-of-http-routes.ts";

const callerOf = ({ actor }: Auth, action: TokenRoute, workspace: string): ObjectCaller => ({ actor, action, workspace });

const requireScript = async (workspace: string, path: string) =>
  requireNewestScript(await deps.objects.get(scriptHeadObject.key(workspace, path)), path);

/** Loaded on first use, so that the function starts faster. */
const importSave = () => import("../../services/scripts/create.ts");

export const scripts: ApiRoutes = [
  on(routes.createScript, async ({ auth: { actor }, params: { workspace }, query, body, expected }) => {
    const { createScript } = await importSave();
    const hash = await createScript(deps, { actor, workspace, expected }, body, { skipIfNoop: query.skip_if_noop ?? false });
    return warnOfHttpRoutes(text(201, hash), { actor, workspace }, { path: body.path, isFlow: false });
  }),
  on(routes.createSnapshot, async ({ auth: { actor }, params: { workspace }, readPayload, expected }) => {
    const { body, file } = await readBundleForm(await readPayload(), "script", newScriptSchema);
    const { createSnapshot } = await import("../../services/scripts/create-snapshot.ts");
    const reply = text(201, await createSnapshot(deps, { actor, workspace, expected }, body, file));
    return nameAuditedResource(await warnOfHttpRoutes(reply, { actor, workspace }, { path: body.path, isFlow: false }), body.path);
  }),
  on(routes.updateScript, async ({ auth: { actor }, params: { workspace, path }, body, expected }) => {
    const reply = text(200, await (await importSave()).updateScript(deps, { actor, workspace, path, expected }, body));
    return warnOfHttpRoutes(reply, { actor, workspace }, { path: body.path ?? path, isFlow: false });
  }),
  on(routes.listScripts, async ({ auth, params: { workspace }, query }) =>
    json(
      200,
      await listScripts(
        deps,
        workspace,
        query,
        await loadListViewer(deps, { actor: auth.actor, workspace }, "script", routes.listScripts.access),
      ),
    ),
  ),
  on(routes.listScriptPaths, async ({ auth: { actor }, params: { workspace } }) =>
    json(200, await listScriptPaths(deps, workspace, createPathFilter({ actor, workspace }, routes.listScripts.access))),
  ),
  on(routes.searchScripts, async ({ auth: { actor }, params: { workspace } }) =>
    json(200, await searchScripts(deps, workspace, createPathFilter({ actor, workspace }, routes.searchScripts.access))),
  ),
  on(routes.updateScriptHistory, async ({ auth, params: { workspace, hash, script_path: path }, body }) => {
    const caller = callerOf(auth, routes.updateScriptHistory, workspace);
    await setScriptMessage(deps, caller, { hash, path, message: body.deployment_msg ?? "" });
    return text(200, `The message of version ${hash} was changed.`);
  }),
  on(routes.listScriptTokens, async ({ auth: { actor }, params: { workspace, path } }) => {
    await requireScript(workspace, path);
    return json(200, await listRunTokens(deps, { actor, workspace }, { runs: "scripts", path }));
  }),
  on(routes.countScriptTriggers, async ({ auth: { actor }, params: { workspace, path } }) => {
    await requireScript(workspace, path);
    return json(200, await countStarters({ actor, workspace }, { path, isFlow: false }));
  }),
  on(routes.muteScriptErrorHandler, async ({ auth: { actor }, params: { workspace, path }, body, expected }) => {
    const muted = body.muted ?? false;
    await muteScriptErrorHandler(deps, { actor, workspace, path, expected }, muted);
    return text(200, `The workspace's error handler ${muted ? "ignores" : "handles"} failures of ${path}.`);
  }),
  on(routes.getScriptFailureNotice, async ({ params: { workspace, path } }) => {
    requireNewestScript(await deps.objects.get(scriptHeadObject.key(workspace, path)), path);
    return json(200, findOwnRule(await loadFailureNotices(deps.objects, workspace), path));
  }),
  on(routes.editScriptFailureNotice, async ({ params: { workspace, path }, body }) => {
    requireNewestScript(await deps.objects.get(scriptHeadObject.key(workspace, path)), path);
    await setOwnFailureNotice(deps, workspace, path, body);
    return text(200, describeFailureNotice(path, body));
  }),
  on(routes.getScriptByPath, async ({ auth: { actor }, params: { workspace, path }, query }) => {
    const script = await getScript(deps, workspace, path);
    return versioned({
      json: query.with_starred_info ? await addStar(deps, { actor, workspace }, "script", script) : script,
      version: script.hash,
    });
  }),
  on(routes.getScriptByHash, async ({ auth, params: { workspace, hash }, query }) => {
    const caller = callerOf(auth, routes.getScriptByHash, workspace);
    const script = await getScriptVersion(deps, caller, hash);
    return json(200, query.with_starred_info ? await addStar(deps, caller, "script", script) : script);
  }),
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
  on(scriptDeclarationRoutes.scriptDeclarations, async ({ auth, params: { workspace, hash } }) =>
    json(200, await getScriptDeclarations(deps, callerOf(auth, scriptDeclarationRoutes.scriptDeclarations, workspace), hash)),
  ),
  on(scriptDeclarationRoutes.sourceDeclarations, async ({ auth: { actor }, params: { workspace, sha256 } }) =>
    json(200, await getSourceDeclarations(deps, { actor, workspace }, sha256)),
  ),
  on(routes.scriptWebhooks, async ({ params: { workspace, path } }) => json(200, await listScriptWebhooks(deps, workspace, path))),
  on(routes.archiveScriptByPath, async ({ auth, params: { workspace, path }, expected }) => {
    await archiveScript(deps, { actor: auth.actor, workspace, path, expected });
    return text(200, `The script ${path} was archived.`);
  }),
  on(routes.archiveScriptByHash, async ({ auth, params: { workspace, hash } }) => {
    const version = await archiveScriptVersion(deps, callerOf(auth, routes.archiveScriptByHash, workspace), hash);
    return nameAuditedResource(json(200, version), version.path);
  }),
  on(routes.deleteScriptByPath, async ({ auth, params: { workspace, path }, expected }) => {
    await deleteScript(deps, { actor: auth.actor, workspace, path, expected });
    return text(200, path);
  }),
  on(routes.deleteScriptByHash, async ({ auth, params: { workspace, hash } }) => {
    const version = await deleteScriptVersion(deps, callerOf(auth, routes.deleteScriptByHash, workspace), hash);
    return nameAuditedResource(json(200, version), version.path);
  }),
];
