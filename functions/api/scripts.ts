import { SvcError } from "../../contract/errors.ts";
import { scriptRoutes as routes } from "../../contract/routes/scripts.ts";
import { keys } from "../../core/objects/keys.ts";
import { createScript } from "../../services/scripts/create.ts";
import { newestAt } from "../../services/scripts/load.ts";
import { deploymentStatus, listScripts, scriptAt, scriptExists, scriptHistory, scriptVersion } from "../../services/scripts/read.ts";
import { archiveScript, archiveVersion, deleteScript, deleteVersion } from "../../services/scripts/retire.ts";
import { webhookForms } from "../../services/scripts/webhooks.ts";
import { on } from "../shared/edge.ts";
import { json, text } from "../shared/reply.ts";
import { type ApiRoutes, collaborators as c } from "./collaborators.ts";

/** `f/ops/hello.ts` and `f/ops/hello` are one script: clients ask with the file's extension. */
const withoutExtension = (path: string) => path.replace(/\.(bun|deno|fetch|node)?\.?[a-z]+$/, "");

async function rawAt(workspace: string, path: string): Promise<string> {
  const exact = await scriptExists(c, workspace, path);
  return (await scriptAt(c, workspace, exact ? path : withoutExtension(path))).content;
}

export const scripts: ApiRoutes = [
  on(routes.createScript, async ({ auth, params: { workspace }, query, body }) =>
    text(201, await createScript(c, auth.actor, workspace, body, { skipIfNoop: query.skip_if_noop ?? false })),
  ),
  on(routes.updateScript, async ({ auth, params: { workspace, path }, body }) => {
    const { hash } = newestAt(await c.objects.get(keys.scriptHead(workspace, path)), path);
    return text(200, await createScript(c, auth.actor, workspace, { ...body, parent_hash: body.parent_hash ?? hash }));
  }),
  on(routes.listScripts, async ({ params: { workspace }, query }) => json(200, await listScripts(c, workspace, query))),
  on(routes.listScriptPaths, async ({ params: { workspace } }) => {
    const stored = await c.objects.list(keys.scriptListing(workspace, "").pk);
    return json(
      200,
      stored.filter(({ value }) => !(value as { archived: boolean }).archived).map(({ sk }) => sk),
    );
  }),
  on(routes.getScriptByPath, async ({ params: { workspace, path } }) => json(200, await scriptAt(c, workspace, path))),
  on(routes.getScriptByHash, async ({ params: { workspace, hash } }) => json(200, await scriptVersion(c, workspace, hash))),
  on(routes.rawScriptByPath, async ({ params: { workspace, path } }) => text(200, await rawAt(workspace, path))),
  on(routes.rawScriptByHash, async ({ params: { workspace, path } }) => {
    const hash = path.split(".")[0] ?? path;
    if (!/^[0-9a-f]{16}$/.test(hash)) throw new SvcError("script.versionNotFound", { hash });
    return text(200, (await scriptVersion(c, workspace, hash)).content);
  }),
  on(routes.existsScript, async ({ params: { workspace, path } }) => json(200, await scriptExists(c, workspace, path))),
  on(routes.scriptHistory, async ({ params: { workspace, path } }) => json(200, await scriptHistory(c, workspace, path))),
  on(routes.latestVersion, async ({ params: { workspace, path } }) => json(200, (await scriptHistory(c, workspace, path))[0])),
  on(routes.deploymentStatus, async ({ params: { workspace, hash } }) => json(200, await deploymentStatus(c, workspace, hash))),
  on(routes.scriptWebhooks, async ({ params: { workspace, path } }) => {
    const { hash } = newestAt(await c.objects.get(keys.scriptHead(workspace, path)), path);
    return json(200, webhookForms(c.baseUrl, workspace, path, hash));
  }),
  on(routes.archiveScriptByPath, async ({ auth, params: { workspace, path } }) => {
    await archiveScript(c, auth.actor, workspace, path);
    return text(200, `The script ${path} is archived.`);
  }),
  on(routes.archiveScriptByHash, async ({ auth, params: { workspace, hash } }) => {
    await archiveVersion(c, auth.actor, workspace, hash);
    return json(200, await scriptVersion(c, workspace, hash));
  }),
  on(routes.deleteScriptByPath, async ({ auth, params: { workspace, path } }) => {
    await deleteScript(c, auth.actor, workspace, path);
    return text(200, path);
  }),
  on(routes.deleteScriptByHash, async ({ auth, params: { workspace, hash } }) =>
    json(200, await deleteVersion(c, auth.actor, workspace, hash)),
  ),
];
