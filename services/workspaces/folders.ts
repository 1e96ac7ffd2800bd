import { randomUUID } from "node:crypto";
import type { JobTable } from "../../aws/dynamodb/job-table.ts";
import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { actions } from "../../contract/access/actions.ts";
import { SvcError } from "../../contract/errors.ts";
import { type FolderChange, type FolderJson, folderSchema, type NewFolder } from "../../contract/routes/workspaces/workspace-schemas.ts";
import { keys } from "../../core/objects/keys.ts";
import { parseObject, parseReadableObjects } from "../../core/objects/parse-object.ts";
import { unchangedSince, write } from "../../core/objects/write.ts";
import { type Actor, toPermissionedAs, type WorkspaceCaller } from "../../core/people/actor.ts";
import { type Access, isPrincipal } from "../../core/permissions/access.ts";
import { may } from "../../core/permissions/may.ts";
import { buildEventWrites } from "../outbox/event.ts";
import { changeAccess, loadAccess } from "./access.ts";
import { hasRecentRuns, listStoredKinds } from "./stored-kinds.ts";

interface FolderDeps {
  objects: ObjectTable;
  nowMs: () => number;
}

type CreateFolderDeps = FolderDeps & { jobs: Pick<JobTable, "list"> };

/**
 * Creates a folder, which the caller owns unless the request names other owners or the caller is a superadmin who is no member. Only an admin may use the name of an earlier folder; returns
 * what the new folder inherits from it. Throws `folder.exists`, `folder.notEmpty`, `workspace.notFound`, `access.owner`.
 */
export async function createFolder(deps: CreateFolderDeps, actor: Actor, workspace: string, request: NewFolder): Promise<string[]> {
  const { objects, nowMs } = deps;
  const {
    name,
    owners = actor.rights ? [toPermissionedAs(actor)] : [],
    extra_perms: perms = Object.fromEntries(owners.map((one) => [one, true])),
  } = request;
  checkPrincipals([...owners, ...Object.keys(perms)]);
  const inherits = await listLeftovers(deps, workspace, name);
  const mayInherit = may(actor, actions.updateMember.access, { workspace });
  if (!mayInherit && inherits.length > 0) {
    // The name of an existing folder is taken for everyone.
    if (await folderExists({ objects }, workspace, name)) throw new SvcError("folder.exists", { name });
    throw new SvcError("folder.notEmpty", { name, inherits });
  }
  const former = keys.formerFolder(workspace, name);
  const atMs = nowMs();
  const value: FolderJson = {
    ...request,
    owners,
    extra_perms: perms,
    created_by: actor.username,
    edited_at: new Date(atMs).toISOString(),
  };
  await changeAccess(
    objects,
    workspace,
    ({ folders }) => {
      folders[name] = { owners, perms };
    },
    {
      by: actor,
      also: [
        write.check(keys.workspace(workspace), "present"),
        write.put({ ...keys.folder(workspace, name), value, version: randomUUID() }, "absent"),
        // The folder may have been deleted since its leftovers were listed.
        mayInherit ? write.remove(former) : write.check(former, "absent"),
        ...(await buildEventWrites(deps, { type: "CreateFolder", workspace, by: actor.username, atMs, data: { name } })),
      ],
      refused: (part) => {
        if (part === 0) return new SvcError("workspace.notFound", { workspace });
        if (part === 1) return new SvcError("folder.exists", { name });
        return new SvcError("folder.notEmpty", { name, inherits: FILES_AND_RUNS });
      },
    },
  );
  return inherits;
}

/** Returns whether a folder with this name exists. */
export async function folderExists({ objects }: Pick<FolderDeps, "objects">, workspace: string, name: string): Promise<boolean> {
  return (await objects.get(keys.folder(workspace, name))) !== undefined;
}

const FILES_AND_RUNS = ["files", "runs"];

/**
 * Lists the kinds of things that a new folder would inherit from an earlier one, because the creator of a folder owns its content. Archived
 * scripts and flows count. No object can be saved in a folder that does not exist, so none can appear before the folder is created.
 */
async function listLeftovers({ objects, jobs }: CreateFolderDeps, workspace: string, name: string): Promise<string[]> {
  const [former, stored, hasRuns] = await Promise.all([
    objects.get(keys.formerFolder(workspace, name)),
    listStoredKinds(objects, workspace, `f/${name}/`),
    hasRecentRuns(jobs, workspace, `f/${name}/`),
  ]);
  if (former) return [...stored, ...FILES_AND_RUNS];
  // An earlier release left no record of a deleted folder.
  return hasRuns ? [...stored, "runs"] : stored;
}

/** Changes the given fields of a folder and leaves the others. Throws `folder.notFound`, `access.*`. */
export async function updateFolder(
  deps: FolderDeps,
  { actor, workspace }: WorkspaceCaller,
  name: string,
  request: FolderChange | ((folder: Access["folders"][string]) => void),
): Promise<void> {
  const { objects, nowMs } = deps;
  const fields = typeof request === "function" ? {} : request;
  checkPrincipals([...(fields.owners ?? []), ...Object.keys(fields.extra_perms ?? {})]);
  const found = await objects.get(keys.folder(workspace, name));
  if (!found) throw new SvcError("folder.notFound", { name });
  const atMs = nowMs();
  const given = Object.fromEntries(Object.entries(fields).filter(([, field]) => field !== undefined));
  const value: FolderJson = { ...parseObject(folderSchema, found), ...given, edited_at: new Date(atMs).toISOString() };
  await changeAccess(
    objects,
    workspace,
    ({ folders }) => {
      const folder = Object.hasOwn(folders, name) ? folders[name] : undefined;
      if (!folder) throw new SvcError("folder.notFound", { name });
      if (typeof request === "function") return request(folder);
      if (request.owners) folder.owners = request.owners;
      if (request.extra_perms) folder.perms = request.extra_perms;
    },
    {
      by: actor,
      also: [
        write.put({ ...keys.folder(workspace, name), value, version: randomUUID() }, unchangedSince(found)),
        ...(await buildEventWrites(deps, { type: "UpdateFolder", workspace, by: actor.username, atMs, data: { name } })),
      ],
    },
  );
}

/** Makes a user or a group an owner of a folder. Throws `folder.notFound`, `access.*`. */
export async function addFolderOwner(deps: FolderDeps, caller: WorkspaceCaller, name: string, owner: string): Promise<void> {
  checkPrincipals([owner]);
  await updateFolder(deps, caller, name, (folder) => {
    folder.owners = [...new Set([...folder.owners, owner])];
    folder.perms[owner] = true;
  });
}

/**
 * Removes an owner of a folder. `right` is what the former owner may still do there: write (`true`), read (`false`) or nothing (`undefined`).
 * Throws `folder.notFound`, `access.*`.
 */
export async function removeFolderOwner(
  deps: FolderDeps,
  caller: WorkspaceCaller,
  name: string,
  { owner, right }: { owner: string; right: boolean | undefined },
): Promise<void> {
  checkPrincipals([owner]);
  await updateFolder(deps, caller, name, (folder) => {
    folder.owners = folder.owners.filter((each) => each !== owner);
    if (right === undefined) delete folder.perms[owner];
    else folder.perms[owner] = right;
  });
}

/** Deletes a folder. Its objects, files and runs remain, for admins only, until an admin creates the folder again. Throws `folder.notFound`. */
export async function deleteFolder(deps: FolderDeps, actor: Actor, workspace: string, name: string): Promise<void> {
  await changeAccess(
    deps.objects,
    workspace,
    ({ folders }) => {
      delete folders[name];
    },
    {
      also: [
        write.remove(keys.folder(workspace, name), "present"),
        write.put(keys.formerFolder(workspace, name)),
        ...(await buildEventWrites(deps, { type: "DeleteFolder", workspace, by: actor.username, atMs: deps.nowMs(), data: { name } })),
      ],
      refused: () => new SvcError("folder.notFound", { name }),
    },
  );
}

/** Returns a folder with its owners and permissions. Throws `folder.notFound`. */
export async function getFolder({ objects }: Pick<FolderDeps, "objects">, workspace: string, name: string): Promise<FolderJson> {
  const [found, { access }] = await Promise.all([objects.get(keys.folder(workspace, name)), loadAccess(objects, workspace)]);
  if (!found) throw new SvcError("folder.notFound", { name });
  return toFolderJson(parseObject(folderSchema, found), access);
}

/** Lists the folders that the caller may see. */
export async function listFolders({ objects }: Pick<FolderDeps, "objects">, actor: Actor, workspace: string): Promise<FolderJson[]> {
  const [found, { access }] = await Promise.all([objects.list(`F#${workspace}`), loadAccess(objects, workspace)]);
  return parseReadableObjects(folderSchema, found)
    .map((folder) => toFolderJson(folder, access))
    .filter(({ name }) => may(actor, actions.readFolder.access, { workspace, path: `f/${name}` }));
}

/** Returns how many objects of each kind a folder contains. Throws `folder.notFound`. */
export async function getFolderUsage({ objects }: Pick<FolderDeps, "objects">, workspace: string, name: string) {
  await getFolder({ objects }, workspace, name);
  const beginsWith = `f/${name}/`;
  const [scripts, variables, resources] = await Promise.all(
    [keys.scriptListing, keys.variable, keys.resource].map((key) => objects.list(key(workspace, "").pk, { beginsWith })),
  );
  return {
    scripts: scripts?.filter(({ value }) => !(value as { archived: boolean }).archived).length ?? 0,
    variables: variables?.length ?? 0,
    resources: resources?.length ?? 0,
  };
}

function toFolderJson(folder: FolderJson, { folders }: Access): FolderJson {
  const { owners, perms } = (Object.hasOwn(folders, folder.name) ? folders[folder.name] : undefined) ?? { owners: [], perms: {} };
  return { ...folder, owners, extra_perms: perms };
}

/** Throws `access.owner` for a name that is neither `u/<username>` nor `g/<group>`. */
export function checkPrincipals(owners: readonly string[]): void {
  for (const owner of owners) if (!isPrincipal(owner)) throw new SvcError("access.owner", { owner });
}
