import { randomUUID } from "node:crypto";
import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { actions } from "../../contract/access/actions.ts";
import { SvcError } from "../../contract/errors.ts";
import { type FolderChange, type FolderJson, folderSchema, type NewFolder } from "../../contract/routes/workspaces/workspaces.ts";
import { keys } from "../../core/objects/keys.ts";
import { type StoredObject, write } from "../../core/objects/write.ts";
import { type Actor, permissionedAs } from "../../core/people/actor.ts";
import { type Access, isPrincipal } from "../../core/permissions/access.ts";
import { may } from "../../core/permissions/may.ts";
import { buildEventWrite } from "../outbox/event.ts";
import { changeAccess, loadAccess } from "./access.ts";

interface Collaborators {
  objects: ObjectTable;
  nowMs: () => number;
}

/** Throws `folder.exists`, `folder.notEmpty`, `workspace.notFound`, `access.owner`. */
export async function createFolder({ objects, nowMs }: Collaborators, actor: Actor, workspace: string, asked: NewFolder): Promise<void> {
  const { name, owners = [permissionedAs(actor)], extra_perms: perms = Object.fromEntries(owners.map((one) => [one, true])) } = asked;
  checkPrincipals([...owners, ...Object.keys(perms)]);
  if (!may(actor, actions.updateMember.access, { workspace })) await refuseLeftovers(objects, workspace, name);
  const atMs = nowMs();
  const value: FolderJson = {
    ...asked,
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
    [
      write.check(keys.workspace(workspace), "present"),
      write.put({ ...keys.folder(workspace, name), value, version: randomUUID() }, "absent"),
      buildEventWrite({ type: "CreateFolder", workspace, object: name, by: actor.username, atMs }),
    ],
    (part) => (part === 0 ? new SvcError("workspace.notFound", { workspace }) : new SvcError("folder.exists", { name })),
  );
}

/**
 * What lay in a deleted folder is still there, and who makes the folder owns it. Nothing comes into a folder that is not there, so what is not found here does not
 * come before the folder is made.
 */
async function refuseLeftovers(objects: ObjectTable, workspace: string, name: string): Promise<void> {
  if (await objects.get(keys.folder(workspace, name))) throw new SvcError("folder.exists", { name });
  const kinds = [keys.variable, keys.resource, keys.scriptListing];
  const found = await Promise.all(kinds.map((key) => objects.list(key(workspace, "").pk, { beginsWith: `f/${name}/`, limit: 1 })));
  if (found.flat().length > 0) throw new SvcError("folder.notEmpty", { name });
}

/** Changes what is named and leaves the rest. Throws `folder.notFound`, `access.*`. */
export async function updateFolder(
  { objects, nowMs }: Collaborators,
  actor: Actor,
  workspace: string,
  name: string,
  asked: FolderChange | ((folder: Access["folders"][string]) => void),
): Promise<void> {
  const fields = typeof asked === "function" ? {} : asked;
  checkPrincipals([...(fields.owners ?? []), ...Object.keys(fields.extra_perms ?? {})]);
  const found = await objects.get(keys.folder(workspace, name));
  if (!found) throw new SvcError("folder.notFound", { name });
  const atMs = nowMs();
  const given = Object.fromEntries(Object.entries(fields).filter(([, field]) => field !== undefined));
  const value: FolderJson = { ...folderSchema.parse(found.value), ...given, edited_at: new Date(atMs).toISOString() };
  await changeAccess(
    objects,
    workspace,
    ({ folders }) => {
      const folder = Object.hasOwn(folders, name) ? folders[name] : undefined;
      if (!folder) throw new SvcError("folder.notFound", { name });
      if (typeof asked === "function") return asked(folder);
      if (asked.owners) folder.owners = asked.owners;
      if (asked.extra_perms) folder.perms = asked.extra_perms;
    },
    [
      write.put({ ...keys.folder(workspace, name), value, version: randomUUID() }, unchanged(found)),
      buildEventWrite({ type: "UpdateFolder", workspace, object: name, by: actor.username, atMs }),
    ],
  );
}

/** What is in it stays: for admins, until one of them makes the folder again. Throws `folder.notFound`. */
export async function deleteFolder({ objects, nowMs }: Collaborators, actor: Actor, workspace: string, name: string): Promise<void> {
  await changeAccess(
    objects,
    workspace,
    ({ folders }) => {
      delete folders[name];
    },
    [
      write.remove(keys.folder(workspace, name), "present"),
      buildEventWrite({ type: "DeleteFolder", workspace, object: name, by: actor.username, atMs: nowMs() }),
    ],
    () => new SvcError("folder.notFound", { name }),
  );
}

/** Throws `folder.notFound`. */
export async function getFolder({ objects }: Pick<Collaborators, "objects">, workspace: string, name: string): Promise<FolderJson> {
  const [found, { access }] = await Promise.all([objects.get(keys.folder(workspace, name)), loadAccess(objects, workspace)]);
  if (!found) throw new SvcError("folder.notFound", { name });
  return folderJson(found.value, access);
}

/** The folders that somebody may see. */
export async function listFolders({ objects }: Pick<Collaborators, "objects">, actor: Actor, workspace: string): Promise<FolderJson[]> {
  const [found, { access }] = await Promise.all([objects.list(`F#${workspace}`), loadAccess(objects, workspace)]);
  return found
    .map(({ value }) => folderJson(value, access))
    .filter(({ name }) => may(actor, actions.readFolder.access, { workspace, path: `f/${name}` }));
}

/** Throws `folder.notFound`. */
export async function getFolderUsage({ objects }: Pick<Collaborators, "objects">, workspace: string, name: string) {
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

function folderJson(stored: unknown, { folders }: Access): FolderJson {
  const folder = folderSchema.parse(stored);
  const { owners, perms } = (Object.hasOwn(folders, folder.name) ? folders[folder.name] : undefined) ?? { owners: [], perms: {} };
  return { ...folder, owners, extra_perms: perms };
}

const unchanged = ({ version }: StoredObject) => (version === undefined ? ("unversioned" as const) : { version });

/** Throws `access.owner` for what is neither `u/<username>` nor `g/<group>`. */
export function checkPrincipals(owners: readonly string[]): void {
  for (const owner of owners) if (!isPrincipal(owner)) throw new SvcError("access.owner", { owner });
}
