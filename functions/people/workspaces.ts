import { synchronisationRoutes } from "../../contract/routes/workspaces/synchronisation.ts";
import { workspaceRoutes as routes } from "../../contract/routes/workspaces/workspaces.ts";
import { paginate } from "../../core/objects/page.ts";
import {
  addFolderOwner,
  createFolder,
  deleteFolder,
  folderExists,
  getFolder,
  getFolderUsage,
  listFolders,
  removeFolderOwner,
  updateFolder,
} from "../../services/folders/folders.ts";
import { archiveWorkspace } from "../../services/jobs/cancel/archive-workspace.ts";
import { listWorkspaceSpecific } from "../../services/resources/workspace-specific.ts";
import { requestConnections } from "../../services/triggers/sources.ts";
import { deleteWorkspace, setWorkspaceArchived } from "../../services/workspaces/archive.ts";
import {
  createWorkspace,
  listAllWorkspaces,
  listWorkspaces,
  usernameExists,
  workspaceExists,
} from "../../services/workspaces/workspaces.ts";
import type { ApiRoutes } from "../shared/edge/domain-api.ts";
import { on } from "../shared/edge/edge.ts";
import { json, text, versioned } from "../shared/reply/reply.ts";
import { cancelDeps } from "../shared/wiring/cancellation.ts";
import { deps } from "./deps.ts";

export const workspaces: ApiRoutes = [
  on(routes.createWorkspace, async ({ auth, body }) => {
    await createWorkspace(deps, auth.actor, body);
    return text(201, body.id);
  }),
  on(routes.listWorkspaces, async ({ auth }) => json(200, await listWorkspaces(deps, auth.actor))),
  on(routes.listAllWorkspaces, async ({ query }) => json(200, paginate(await listAllWorkspaces(deps), query))),
  on(routes.archiveWorkspace, async ({ auth, params: { workspace } }) => {
    await archiveWorkspace({ ...cancelDeps, objects: deps.objects }, { actor: auth.actor, workspace });
    await requestConnections(deps.objects, workspace);
    return text(200, `The workspace ${workspace} was archived.`);
  }),
  on(routes.unarchiveWorkspace, async ({ params: { workspace } }) => {
    await setWorkspaceArchived(deps, workspace, false);
    await requestConnections(deps.objects, workspace);
    return text(200, `The workspace ${workspace} is active again.`);
  }),
  on(routes.deleteWorkspace, async ({ auth, params: { workspace } }) => {
    await deleteWorkspace(deps, workspace, auth.actor.email);
    return text(200, `The workspace ${workspace} was deleted. Its data is removed within minutes.`);
  }),
  on(routes.existsUsername, async ({ auth, body: { id, username } }) => json(200, await usernameExists(deps, auth.actor, id, username))),
  on(routes.existsWorkspace, async ({ auth, body }) => json(200, await workspaceExists(deps, auth.actor, body.id))),
  on(routes.createFolder, async ({ auth, params: { workspace }, body }) => {
    const inherited = await createFolder(deps, auth.actor, workspace, body);
    const addition = inherited.length > 0 ? ` It inherits from an earlier folder: ${inherited.join(", ")}.` : "";
    return text(201, `The folder ${body.name} was created.${addition}`);
  }),
  on(routes.updateFolder, async ({ auth, params: { workspace, name }, body, expected }) => {
    await updateFolder(deps, { actor: auth.actor, workspace, name, expected }, body);
    return text(200, `The folder ${name} was changed.`);
  }),
  on(routes.deleteFolder, async ({ auth, params: { workspace, name }, expected }) => {
    await deleteFolder(deps, { actor: auth.actor, workspace, name, expected });
    return text(200, `The folder ${name} was deleted.`);
  }),
  on(routes.addFolderOwner, async ({ auth: { actor }, params: { workspace, name }, body: { owner }, expected }) => {
    await addFolderOwner(deps, { actor, workspace, name, expected }, owner);
    return text(200, `${owner} is now an owner of the folder ${name}.`);
  }),
  on(routes.removeFolderOwner, async ({ auth: { actor }, params: { workspace, name }, body: { owner, write }, expected }) => {
    await removeFolderOwner(deps, { actor, workspace, name, expected }, { owner, right: write ?? undefined });
    return text(200, `${owner} is no longer an owner of the folder ${name}.`);
  }),
  on(routes.getFolder, async ({ params: { workspace, name } }) => versioned(await getFolder(deps, workspace, name))),
  on(routes.folderUsage, async ({ params: { workspace, name } }) => json(200, await getFolderUsage(deps, workspace, name))),
  on(routes.existsFolder, async ({ params: { workspace, name } }) => json(200, await folderExists(deps, workspace, name))),
  on(routes.listFolders, async ({ auth, params: { workspace }, query }) =>
    json(200, paginate(await listFolders(deps, auth.actor, workspace), query)),
  ),
  on(routes.listFolderNames, async ({ auth, params: { workspace } }) =>
    json(
      200,
      (await listFolders(deps, auth.actor, workspace)).map(({ name }) => name),
    ),
  ),
  on(synchronisationRoutes.listWorkspaceSpecific, async ({ auth: { actor }, params: { workspace } }) =>
    json(200, await listWorkspaceSpecific(deps, { actor, workspace })),
  ),
];
