import { SvcError } from "../../contract/errors.ts";
import type { TokenRoute } from "../../contract/route.ts";
import { scriptRoutes as routes, type ScriptJson } from "../../contract/routes/stored/scripts.ts";
import { keys } from "../../core/objects/keys.ts";
import type { Actor } from "../../core/people/actor.ts";
import { permit } from "../../services/identity/permit.ts";
import { archiveScript, archiveScriptVersion, deleteScript, deleteScriptVersion } from "../../services/scripts/archive.ts";
import { parseScript, requireNewestScript, requireScriptVersion } from "../../services/scripts/load.ts";
import {
  getScript,
  getScriptDeploymentStatus,
  getScriptVersion,
  listScriptHistory,
  listScripts,
  scriptExists,
} from "../../services/scripts/read.ts";
import { listWebhookForms } from "../../services/scripts/webhooks.ts";
import { deleteAcl, getAcl } from "../../services/workspaces/acls.ts";
import type { ApiRoutes } from "../shared/domain-api.ts";
import { on } from "../shared/edge.ts";
import { json, text } from "../shared/reply.ts";
import { collaborators as c } from "./collaborators.ts";
import { seenBy } from "./seen-by.ts";

/** `f/ops/hello.ts` and `f/ops/hello` are one script: clients ask with the file's extension. */
const withoutExtension = (path: string) => path.replace(/\.(bun|deno|fetch|node)?\.?[a-z]+$/, "");

/** A version is named by its hash; whether the caller may do this with it is a matter of its path. */
function permitted<V extends { workspace_id: string; path: string; hash: string }>(actor: Actor, route: TokenRoute, version: V): V {
  const { workspace_id: workspace, path, hash } = version;
  permit(actor, route, { workspace, path }, () => new SvcError("script.versionNotFound", { hash }));
  return version;
}

async function withPerms(script: ScriptJson): Promise<ScriptJson> {
  return { ...script, extra_perms: await getAcl(c, { workspace: script.workspace_id, kind: "script", path: script.path }) };
}

async function rawAt(workspace: string, path: string): Promise<string> {
  const exact = await scriptExists(c, workspace, path);
  return (await getScript(c, workspace, exact ? path : withoutExtension(path))).content;
}

/** Loaded with the first script that is saved: the function starts faster without this code. */
const saving = () => import("../../services/scripts/create.ts");

export const scripts: ApiRoutes = [
  on(routes.createScript, async ({ auth, params: { workspace }, query, body }) =>
    text(201, await (await saving()).createScript(c, { actor: auth.actor, workspace }, body, { skipIfNoop: query.skip_if_noop ?? false })),
  ),
  on(routes.updateScript, async ({ auth, params: { workspace, path }, body }) => {
    const { hash } = requireNewestScript(await c.objects.get(keys.scriptHead(workspace, path)), path);
    return text(
      200,
      await (await saving()).createScript(c, { actor: auth.actor, workspace }, { ...body, parent_hash: body.parent_hash ?? hash }),
    );
  }),
  on(routes.listScripts, async ({ auth, params: { workspace }, query }) =>
    json(200, await listScripts(c, workspace, query, seenBy(auth, routes.listScripts.access, workspace))),
  ),
  on(routes.listScriptPaths, async ({ auth, params: { workspace } }) => {
    const stored = await c.objects.list(keys.scriptListing(workspace, "").pk);
    const paths = stored.filter(({ value }) => !(value as { archived: boolean }).archived).map(({ sk }) => sk);
    return json(200, paths.filter(seenBy(auth, routes.listScripts.access, workspace)));
  }),
  on(routes.getScriptByPath, async ({ params: { workspace, path } }) => json(200, await withPerms(await getScript(c, workspace, path)))),
  on(routes.getScriptByHash, async ({ auth, params: { workspace, hash } }) =>
    json(200, await withPerms(permitted(auth.actor, routes.getScriptByHash, await getScriptVersion(c, workspace, hash)))),
  ),
  on(routes.rawScriptByPath, async ({ params: { workspace, path } }) => text(200, await rawAt(workspace, path))),
  on(routes.rawScriptByHash, async ({ auth, params: { workspace, path } }) => {
    const hash = path.split(".")[0] ?? path;
    if (!/^[0-9a-f]{16}$/.test(hash)) throw new SvcError("script.versionNotFound", { hash });
    return text(200, permitted(auth.actor, routes.rawScriptByHash, await getScriptVersion(c, workspace, hash)).content);
  }),
  on(routes.existsScript, async ({ params: { workspace, path } }) => json(200, await scriptExists(c, workspace, path))),
  on(routes.scriptHistory, async ({ params: { workspace, path } }) => json(200, await listScriptHistory(c, workspace, path))),
  on(routes.latestVersion, async ({ params: { workspace, path } }) => json(200, (await listScriptHistory(c, workspace, path))[0])),
  on(routes.deploymentStatus, async ({ auth, params: { workspace, hash } }) => {
    const { path } = requireScriptVersion(await c.objects.get(keys.version(workspace, hash)), hash);
    permitted(auth.actor, routes.deploymentStatus, { workspace_id: workspace, path, hash });
    return json(200, await getScriptDeploymentStatus(c, workspace, hash));
  }),
  on(routes.scriptWebhooks, async ({ params: { workspace, path } }) => {
    const { hash } = requireNewestScript(await c.objects.get(keys.scriptHead(workspace, path)), path);
    return json(200, listWebhookForms(c.baseUrl, workspace, `p/${path}`, `h/${hash}`));
  }),
  on(routes.archiveScriptByPath, async ({ auth, params: { workspace, path } }) => {
    await archiveScript(c, auth.actor, workspace, path);
    return text(200, `The script ${path} is archived.`);
  }),
  on(routes.archiveScriptByHash, async ({ auth, params: { workspace, hash } }) => {
    permitted(auth.actor, routes.archiveScriptByHash, await getScriptVersion(c, workspace, hash));
    await archiveScriptVersion(c, auth.actor, workspace, hash);
    return json(200, await getScriptVersion(c, workspace, hash));
  }),
  on(routes.deleteScriptByPath, async ({ auth, params: { workspace, path } }) => {
    // Rights go first: should the rest fail, nobody has more than before.
    await deleteAcl(c, { workspace, kind: "script", path });
    await deleteScript(c, auth.actor, workspace, path);
    return text(200, path);
  }),
  on(routes.deleteScriptByHash, async ({ auth, params: { workspace, hash } }) => {
    // Also what is left of a deleted one: deleting again finishes what an earlier call left.
    const found = parseScript(await c.objects.get(keys.version(workspace, hash)));
    if (found) permitted(auth.actor, routes.deleteScriptByHash, { workspace_id: workspace, path: found.path, hash });
    return json(200, await deleteScriptVersion(c, auth.actor, workspace, hash));
  }),
];
