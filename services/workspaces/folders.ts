import { randomUUID } from "node:crypto";
import { actions } from "../../contract/access/actions.ts";
import { SvcError } from "../../contract/errors.ts";
import type { FolderChange, FolderJson, NewFolder } from "../../contract/routes/workspaces/workspace-schemas.ts";
import { filesPrefix } from "../../core/files/file-key.ts";
import { createVersion, type ExpectedVersions, getVersion, requireVersion, type Versioned } from "../../core/objects/version.ts";
import { type StoredObject, unchangedSince, write } from "../../core/objects/write.ts";
import { type Actor, toPermissionedAs, type WorkspaceCaller } from "../../core/people/actor.ts";
import { type Access, isPrincipal } from "../../core/permissions/access.ts";
import { may } from "../../core/permissions/may.ts";
import { resourceObject } from "../../core/resources/resource.ts";
import { scriptListingObject } from "../../core/scripts/version.ts";
import { variableObject } from "../../core/variables/variable.ts";
import { folderObject, formerFolderObject, workspaceObject } from "../../core/workspaces/workspace.ts";
import { buildEventWrites } from "../outbox/event.ts";
import { loadFileStorage } from "../settings/file-storage.ts";
import type { Uses } from "../uses.ts";
import { changeAccess, loadAccess } from "./access.ts";
import { findRecentRuns, listStoredKinds } from "./stored-kinds.ts";

/** A folder that a caller changes. */
interface FolderTarget extends WorkspaceCaller {
  name: string;
  /** The versions of the folder that the caller has read. Absent: any. */
  expected?: ExpectedVersions | undefined;
}

/**
 * Creates a folder, which the caller owns unless the request names other owners or the caller is a superadmin who is not a member. Only an admin
 * may use the name of an earlier folder that left something behind; returns the inherited content. Throws `folder.exists`, `folder.notEmpty`,
 * `workspace.notFound`, `access.owner`, and `body.shape` for an owner who may only read.
 */
export async function createFolder(
  deps: Uses<"jobs" | "objects" | "storage" | "nowMs">,
  actor: Actor,
  workspace: string,
  request: NewFolder,
): Promise<string[]> {
  const { objects, nowMs } = deps;
  const {
    name,
    owners = actor.rights ? [toPermissionedAs(actor)] : [],
    extra_perms: perms = Object.fromEntries(owners.map((one) => [one, true])),
  } = request;
  checkPrincipals([...owners, ...Object.keys(perms)]);
  for (const owner of owners) checkOwnerRight(owners, owner, perms[owner]);
  const { former, inherits } = await findLeftovers(deps, workspace, name);
  const mayInherit = may(actor, actions.updateMember.access, { workspace });
  if (!mayInherit && inherits.length > 0) {
    // The name of an existing folder is taken for everyone.
    if (await folderExists({ objects }, workspace, name)) throw new SvcError("folder.exists", { name });
    throw new SvcError("folder.notEmpty", { name, inherits });
  }
  const formerKey = formerFolderObject.key(workspace, name);
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
        write.check(workspaceObject.key(workspace), "present"),
        write.put({ ...folderObject.key(workspace, name), value, ...createVersion(actor.username, atMs) }, "absent"),
        // The folder may have been deleted since its leftovers were listed.
        mayInherit ? write.remove(formerKey) : former ? write.remove(formerKey, unchangedSince(former)) : write.check(formerKey, "absent"),
        ...(await buildEventWrites(deps, { type: "CreateFolder", workspace, by: actor.username, atMs, data: { name } })),
      ],
      refused: (part) => {
        if (part === 0) return new SvcError("workspace.notFound", { workspace });
        if (part === 1) return new SvcError("folder.exists", { name });
        return new SvcError("folder.notEmpty", { name, inherits: ["objects of a folder that was deleted just now"] });
      },
    },
  );
  return inherits;
}

/** Returns whether a folder with this name exists. */
export async function folderExists({ objects }: Uses<"objects">, workspace: string, name: string): Promise<boolean> {
  return (await objects.get(folderObject.key(workspace, name))) !== undefined;
}

/** The remains of an earlier folder. `former`: the record of its deletion, which a folder that an earlier release deleted does not have. */
interface Leftovers {
  former: StoredObject | undefined;
  /** The kinds of content that a new folder would inherit. */
  inherits: string[];
}

/**
 * Finds the content that a new folder would inherit from an earlier one, because the creator of a folder owns its content. Archived scripts and
 * flows count. No object can be saved in a folder that does not exist, so none can appear before the folder is created.
 */
async function findLeftovers(
  { objects, jobs, storage }: Uses<"jobs" | "objects" | "storage">,
  workspace: string,
  name: string,
): Promise<Leftovers> {
  const prefix = `f/${name}/`;
  const [former, stored, runs, { access }] = await Promise.all([
    objects.get(formerFolderObject.key(workspace, name)),
    listStoredKinds(objects, workspace, prefix),
    findRecentRuns(jobs, workspace, prefix),
    loadAccess(objects, workspace),
  ]);
  const hasRights = Object.keys(access.objects).some((key) => key.slice(key.indexOf(" ") + 1).startsWith(prefix));
  // Without a record of a deletion, there may never have been a folder: older runs and files at its path are no reason to refuse its name.
  const hasRuns = runs === "some" || (runs === "unknown" && former !== undefined);
  const hasFiles = former !== undefined && (await mayHaveFiles({ objects, storage }, workspace, prefix));
  const kinds = { permissions: hasRights, files: hasFiles, runs: hasRuns };
  return { former, inherits: [...stored, ...Object.entries(kinds).flatMap(([kind, isLeft]) => (isLeft ? [kind] : []))] };
}

/**
 * Returns whether files can be left. A workspace's own storage is not read, because that requires secrets that the creator of a folder may not
 * use.
 */
async function mayHaveFiles({ objects, storage }: Uses<"objects" | "storage">, workspace: string, prefix: string): Promise<boolean> {
  const configured = await loadFileStorage(objects, workspace);
  const hasOwn =
    configured?.type === "S3Storage" || (configured?.type === "stack" && Object.keys(configured.secondary_storage ?? {}).length > 0);
  return hasOwn || (await storage.hasObjects(`${filesPrefix(workspace)}${prefix}`));
}

/**
 * Changes the given fields of a folder. A new owner may write. Throws `folder.notFound`, `access.*`, and `body.shape` for an owner who may only
 * read.
 */
export async function updateFolder(
  deps: Uses<"objects" | "nowMs">,
  { actor, workspace, name, expected }: FolderTarget,
  request: FolderChange | ((folder: Access["folders"][string]) => void),
): Promise<void> {
  const { objects, nowMs } = deps;
  const fields = typeof request === "function" ? {} : request;
  checkPrincipals([...(fields.owners ?? []), ...Object.keys(fields.extra_perms ?? {})]);
  const found = await objects.get(folderObject.key(workspace, name));
  if (!found) throw new SvcError("folder.notFound", { name });
  requireVersion(found, { path: `f/${name}`, expected });
  const atMs = nowMs();
  const given = Object.fromEntries(Object.entries(fields).filter(([, field]) => field !== undefined));
  const value: FolderJson = { ...folderObject.parse(found), ...given, edited_at: new Date(atMs).toISOString() };
  await changeAccess(
    objects,
    workspace,
    ({ folders }) => {
      const folder = Object.hasOwn(folders, name) ? folders[name] : undefined;
      if (!folder) throw new SvcError("folder.notFound", { name });
      if (typeof request === "function") return request(folder);
      if (request.owners) folder.owners = request.owners;
      if (request.extra_perms) folder.perms = request.extra_perms;
      for (const owner of folder.owners) {
        checkOwnerRight(folder.owners, owner, request.extra_perms?.[owner]);
        if (folder.perms[owner] === false) folder.perms[owner] = true;
      }
    },
    {
      by: actor,
      also: [
        write.put({ ...folderObject.key(workspace, name), value, ...createVersion(actor.username, atMs) }, unchangedSince(found)),
        ...(await buildEventWrites(deps, { type: "UpdateFolder", workspace, by: actor.username, atMs, data: { name } })),
      ],
    },
  );
}

/** Makes a user or a group an owner of a folder. Throws `folder.notFound`, `access.*`. */
export async function addFolderOwner(deps: Uses<"objects" | "nowMs">, target: FolderTarget, owner: string): Promise<void> {
  checkPrincipals([owner]);
  await updateFolder(deps, target, (folder) => {
    folder.owners = [...new Set([...folder.owners, owner])];
    folder.perms[owner] = true;
  });
}

/**
 * Removes an owner of a folder. `right` is the remaining right of the former owner: write (`true`), read (`false`) or nothing (`undefined`).
 * Throws `folder.notFound`, `access.*`.
 */
export async function removeFolderOwner(
  deps: Uses<"objects" | "nowMs">,
  target: FolderTarget,
  { owner, right }: { owner: string; right: boolean | undefined },
): Promise<void> {
  checkPrincipals([owner]);
  await updateFolder(deps, target, (folder) => {
    folder.owners = folder.owners.filter((each) => each !== owner);
    if (right === undefined) delete folder.perms[owner];
    else folder.perms[owner] = right;
  });
}

/**
 * Deletes a folder. Its objects, files and runs remain, for admins only, until an admin creates the folder again. If nothing remains, the name is
 * free. Throws `folder.notFound`, `object.versionChanged`.
 */
export async function deleteFolder(deps: Uses<"objects" | "nowMs">, { actor, workspace, name, expected }: FolderTarget): Promise<void> {
  const notFound = () => new SvcError("folder.notFound", { name });
  const found = await deps.objects.get(folderObject.key(workspace, name));
  if (!found) throw notFound();
  requireVersion(found, { path: `f/${name}`, expected });
  await changeAccess(
    deps.objects,
    workspace,
    ({ folders }) => {
      delete folders[name];
    },
    {
      by: "bounded",
      also: [
        // A change since the read prevents only the deletion of a caller who names a version.
        write.remove(folderObject.key(workspace, name), expected ? unchangedSince(found) : "present"),
        write.put({ ...formerFolderObject.key(workspace, name), version: randomUUID() }),
        ...(await buildEventWrites(deps, { type: "DeleteFolder", workspace, by: actor.username, atMs: deps.nowMs(), data: { name } })),
      ],
      refused: () => (expected ? new SvcError("access.changedMeanwhile", {}) : notFound()),
    },
  );
}

/** Returns a folder with its owners and permissions. Throws `folder.notFound`. */
export async function getFolder({ objects }: Uses<"objects">, workspace: string, name: string): Promise<Versioned<FolderJson>> {
  const [found, { access }] = await Promise.all([objects.get(folderObject.key(workspace, name)), loadAccess(objects, workspace)]);
  if (!found) throw new SvcError("folder.notFound", { name });
  return { json: toFolderJson(folderObject.parse(found), access), version: getVersion(found) };
}

/** Lists the folders that the caller may see. */
export async function listFolders({ objects }: Uses<"objects">, actor: Actor, workspace: string): Promise<FolderJson[]> {
  const [found, { access }] = await Promise.all([objects.list(folderObject.partitionKey(workspace)), loadAccess(objects, workspace)]);
  return folderObject
    .parseReadable(found)
    .map((folder) => toFolderJson(folder, access))
    .filter(({ name }) => may(actor, actions.readFolder.access, { workspace, path: `f/${name}` }));
}

/** Returns the number of objects of each kind in a folder. Throws `folder.notFound`. */
export async function getFolderUsage({ objects }: Uses<"objects">, workspace: string, name: string) {
  await getFolder({ objects }, workspace, name);
  const beginsWith = `f/${name}/`;
  const [scripts, variables, resources] = await Promise.all(
    [scriptListingObject, variableObject, resourceObject].map((kind) => objects.list(kind.partitionKey(workspace), { beginsWith })),
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

/** Owners of a folder may write in it, so a right to read (`false`) would have no effect. Throws `body.shape`. */
export function checkOwnerRight(owners: readonly string[], owner: string, right: boolean | undefined): void {
  if (right !== false || !owners.includes(owner)) return;
  const reason = `gives ${owner} the right to read only, but ${owner} owns the folder. Remove it from the owners, or give it the right to write`;
  throw new SvcError("body.shape", { issues: [{ path: "extra_perms", reason }] });
}
