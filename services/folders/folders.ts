import { randomUUID } from "node:crypto";
import { actions } from "../../contract/access/actions.ts";
import { SvcError } from "../../contract/errors.ts";
import type { FolderChange, FolderJson, NewFolder } from "../../contract/routes/workspaces/workspace-schemas.ts";
import { toIsoTime } from "../../contract/utilities/iso-time.ts";
import { filesPrefix } from "../../core/files/file-key.ts";
import { type ExpectedVersions, getVersion, type Versioned } from "../../core/objects/version.ts";
import { type StoredObject, unchangedSince, write } from "../../core/objects/write.ts";
import { type Actor, toPermissionedAs, type WorkspaceCaller } from "../../core/people/actor.ts";
import type { Access } from "../../core/permissions/access.ts";
import { may } from "../../core/permissions/may.ts";
import { resourceObject } from "../../core/resources/resource.ts";
import { scriptListingObject } from "../../core/scripts/version.ts";
import { variableObject } from "../../core/variables/variable.ts";
import { folderObject, formerFolderObject } from "../../core/workspaces/workspace.ts";
import type { PathKind } from "../objects/path-kind.ts";
import { removeObject } from "../objects/remove-object.ts";
import { changeObject, createObject } from "../objects/save-object.ts";
import { pauseAfterConflict, SHARED_ITEM_TRIES } from "../outbox/commit-parts.ts";
import { loadFileStorage } from "../settings/file-storage.ts";
import type { Uses } from "../uses.ts";
import { buildAccessPart, checkOwnerRight, checkPrincipals, loadAccess } from "../workspaces/access.ts";
import { findRecentRuns, listStoredKinds } from "../workspaces/stored-kinds.ts";

/** A folder that a caller changes. */
interface FolderTarget extends WorkspaceCaller {
  name: string;
  /** The versions of the folder that the caller has read. Absent: any. */
  expected?: ExpectedVersions | undefined;
}

/** Folders at the paths `f/<name>`. Their permissions are part of the access rights of the workspace. */
export const folderKind: PathKind<FolderJson> = {
  key: (workspace, path) => folderObject.key(workspace, toName(path)),
  parse: folderObject.parse,
  permissions: undefined,
  save: undefined,
  exists: (path) => new SvcError("folder.exists", { name: toName(path) }),
  notFound: (path) => new SvcError("folder.notFound", { name: toName(path) }),
  changed: () => new SvcError("access.changedMeanwhile", {}),
  buildCopies: undefined,
  onConflict: (_, earlier) => pauseAfterConflict(earlier),
  maxTries: SHARED_ITEM_TRIES,
};

const toName = (path: string) => path.slice("f/".length);
const toTarget = ({ name, ...caller }: FolderTarget) => ({ ...caller, path: `f/${name}` });

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
  const unlessLeft = mayInherit
    ? write.remove(formerKey)
    : former
      ? write.remove(formerKey, unchangedSince(former))
      : write.check(formerKey, "absent");
  const justDeleted = new SvcError("folder.notEmpty", { name, inherits: ["objects of a folder that was deleted just now"] });
  const addRights = ({ folders }: Access) => {
    folders[name] = { owners, perms };
  };
  await createObject(deps, folderKind, toTarget({ actor, workspace, name }), async () => async () => ({
    value: {
      ...request,
      owners,
      extra_perms: perms,
      created_by: actor.username,
      edited_at: toIsoTime(nowMs()),
      edited_by: actor.username,
    },
    parts: [
      // The folder may have been deleted since its leftovers were listed.
      { write: unlessLeft, refused: justDeleted },
      await buildAccessPart(objects, workspace, addRights, actor),
    ],
    event: { type: "CreateFolder", data: { name } },
    sent: undefined,
  }));
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
  target: FolderTarget,
  request: FolderChange | ((folder: Access["folders"][string]) => void),
): Promise<void> {
  const { objects, nowMs } = deps;
  const { workspace, name } = target;
  const fields = typeof request === "function" ? {} : request;
  checkPrincipals([...(fields.owners ?? []), ...Object.keys(fields.extra_perms ?? {})]);
  const changes = Object.fromEntries(Object.entries(fields).filter(([, field]) => field !== undefined));
  const changeRights = ({ folders }: Access) => {
    const folder = Object.hasOwn(folders, name) ? folders[name] : undefined;
    if (!folder) throw new SvcError("folder.notFound", { name });
    if (typeof request === "function") return request(folder);
    if (request.owners) folder.owners = request.owners;
    if (request.extra_perms) folder.perms = request.extra_perms;
    for (const owner of folder.owners) {
      checkOwnerRight(folder.owners, owner, request.extra_perms?.[owner]);
      if (folder.perms[owner] === false) folder.perms[owner] = true;
    }
  };
  await changeObject(deps, folderKind, toTarget(target), async () => async (before) => ({
    value: { ...before, ...changes, edited_at: toIsoTime(nowMs()), edited_by: target.actor.username },
    parts: [await buildAccessPart(objects, workspace, changeRights, target.actor)],
    event: { type: "UpdateFolder", data: { name } },
    sent: undefined,
  }));
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
export async function deleteFolder(deps: Uses<"objects" | "nowMs">, target: FolderTarget): Promise<void> {
  const { workspace, name } = target;
  const removeRights = ({ folders }: Access) => {
    delete folders[name];
  };
  await removeObject(deps, folderKind, toTarget(target), async () => ({
    parts: [
      { write: write.put({ ...formerFolderObject.key(workspace, name), version: randomUUID() }), refused: undefined },
      await buildAccessPart(deps.objects, workspace, removeRights, "bounded"),
    ],
    event: { type: "DeleteFolder", data: { name } },
    sent: undefined,
  }));
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
