import { SvcError } from "../../contract/errors.ts";
import { peopleRoutes } from "../../contract/routes/people.ts";
import { workspaceRoutes } from "../../contract/routes/workspaces.ts";
import { keys } from "../../core/objects/keys.ts";
import { createToken, deleteToken, listTokens } from "../../services/identity/tokens.ts";
import { exportKeyOf } from "../../services/secrets/key-ring.ts";
import { replaceKey } from "../../services/secrets/rotate.ts";
import { createFolder, getFolder, listFolders } from "../../services/workspaces/folders.ts";
import { createWorkspace, listWorkspaces, workspaceExists } from "../../services/workspaces/workspaces.ts";
import { on } from "../shared/edge.ts";
import { json, text } from "../shared/reply.ts";
import { type ApiRoutes, collaborators as c } from "./collaborators.ts";

export const workspaces: ApiRoutes = [
  on(workspaceRoutes.createWorkspace, async ({ auth, body }) => {
    await createWorkspace(c, auth.actor, body);
    return text(201, body.id);
  }),
  on(workspaceRoutes.listWorkspaces, async ({ auth }) => json(200, await listWorkspaces(c, auth.actor))),
  on(workspaceRoutes.existsWorkspace, async ({ body }) => json(200, await workspaceExists(c, body.id))),
  on(workspaceRoutes.getEncryptionKey, async ({ params: { workspace } }) => json(200, { key: await exportKeyOf(c, workspace) })),
  on(workspaceRoutes.setEncryptionKey, async ({ params: { workspace }, body }) => {
    const reseal = !body.skip_reencrypt;
    const count = await replaceKey(c, workspace, body.new_key, { reseal });
    return text(200, reseal ? `The key is replaced, and secrets sealed anew: ${count}.` : "The key is replaced.");
  }),
  on(workspaceRoutes.createFolder, async ({ auth, params: { workspace }, body }) => {
    await createFolder(c, auth.actor, workspace, body);
    return text(201, `The folder ${body.name} is made.`);
  }),
  on(workspaceRoutes.getFolder, async ({ params: { workspace, name } }) => json(200, await getFolder(c, workspace, name))),
  on(workspaceRoutes.existsFolder, async ({ params: { workspace, name } }) =>
    json(200, (await c.objects.get(keys.folder(workspace, name))) !== undefined),
  ),
  on(workspaceRoutes.listFolders, async ({ params: { workspace }, query }) => {
    const size = Math.min(query.per_page ?? 30, 100);
    const start = (Math.max(query.page ?? 1, 1) - 1) * size;
    return json(200, (await listFolders(c, workspace)).slice(start, start + size));
  }),
  on(workspaceRoutes.listFolderNames, async ({ params: { workspace } }) =>
    json(
      200,
      (await listFolders(c, workspace)).map(({ name }) => name),
    ),
  ),
];

export const people: ApiRoutes = [
  on(peopleRoutes.globalWhoami, async ({ auth: { actor } }) =>
    json(200, {
      email: actor.email,
      login_type: "password",
      super_admin: actor.superAdmin,
      verified: true,
      username: actor.username,
      first_time_user: false,
      role_source: "manual",
      disabled: false,
    }),
  ),
  on(peopleRoutes.whoami, async ({ auth: { actor }, params: { workspace } }) => {
    const found = await c.objects.getMany([keys.workspace(workspace), keys.user(actor.email)]);
    if (!found[0]) throw new SvcError("workspace.notFound", { workspace });
    const { createdAtMs = 0 } = (found[1]?.value ?? {}) as { createdAtMs?: number };
    const folders = (await listFolders(c, workspace)).map(({ name }) => name);
    return json(200, {
      email: actor.email,
      username: actor.username,
      is_admin: actor.superAdmin,
      is_super_admin: actor.superAdmin,
      created_at: new Date(createdAtMs).toISOString(),
      operator: false,
      disabled: false,
      folders,
      folders_read: folders,
      folders_owners: folders,
    });
  }),
  on(peopleRoutes.email, async ({ auth }) => text(200, auth.actor.email)),
  on(peopleRoutes.createToken, async ({ auth, body }) => text(201, await createToken(c, auth.actor, body))),
  on(peopleRoutes.listTokens, async ({ auth, query }) => json(200, await listTokens(c, auth.actor, query))),
  on(peopleRoutes.deleteToken, async ({ auth, params }) => {
    const prefix = await deleteToken(c, auth.actor, params.token_prefix);
    return text(200, `The token ${prefix}… is deleted.`);
  }),
];
