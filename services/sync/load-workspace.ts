import { actions } from "../../contract/access/actions.ts";
import { dependencyFiles } from "../../contract/dependency-language.ts";
import { memberObject } from "../../core/permissions/access.ts";
import type { SyncItem } from "../../core/sync/item.ts";
import { removeServerFields } from "../../core/sync/server-fields.ts";
import { folderObject } from "../../core/workspaces/workspace.ts";
import { readExportKey } from "../secrets/read-export-key.ts";
import { getWorkspaceSettings } from "../settings/workspace.ts";
import { loadCurrentDependencies } from "../workspaces/dependencies.ts";
import { type ArchiveContext, listStored, listVersioned, mayRead, toItemVersion } from "./archive-context.ts";

/** Loads the folders that the caller may see, with their owners and permissions. */
export async function loadFolders(context: ArchiveContext): Promise<SyncItem[]> {
  const { reader, access } = context;
  return (await listVersioned(context, folderObject, reader.workspace))
    .filter(({ object: { name } }) => mayRead(context, actions.readFolder.access, `f/${name}`))
    .map(({ object: { name, ...fields }, version }) => {
      const rights = Object.hasOwn(access.folders, name) ? access.folders[name] : undefined;
      const { owners = [], perms = {} } = rights ?? {};
      const value = { ...removeServerFields(fields), owners: owners.toSorted(), extra_perms: perms };
      return { kind: "folder", path: name, value, ...toItemVersion(context, version) };
    });
}

/** Loads the members of the workspace. */
export async function loadUsers(context: ArchiveContext): Promise<SyncItem[]> {
  const members = await listStored(context, memberObject, context.reader.workspace);
  return members.map(({ email, username, role, disabled = false }) => ({ kind: "user", path: email, value: { username, role, disabled } }));
}

/** Returns the groups of the workspace. Administrators are not repeated among the members. */
export function listGroupItems({ access }: ArchiveContext): SyncItem[] {
  return Object.entries(access.groups).map(([name, { summary = "", members, perms }]) => {
    const admins = Object.keys(perms).filter((owner) => perms[owner] === true);
    const others = members.map((member) => `u/${member}`).filter((member) => !admins.includes(member));
    return { kind: "group", path: name, value: { summary, admins: admins.toSorted(), members: others.toSorted() } };
  });
}

/** Loads the settings of the workspace. */
export async function loadSettings({ deps, reader }: ArchiveContext): Promise<SyncItem[]> {
  const settings = await getWorkspaceSettings(deps, reader.workspace);
  return [{ kind: "settings", path: "settings", value: removeServerFields(settings) }];
}

/** Loads the key with which the workspace's secrets are exported. */
export async function loadEncryptionKey({ deps, reader }: ArchiveContext): Promise<SyncItem[]> {
  return [{ kind: "encryption_key", path: "encryption_key", value: await readExportKey(deps, reader) }];
}

/** Loads the lists of package versions. */
export async function loadDependencies({ deps, reader }: ArchiveContext): Promise<SyncItem[]> {
  const lists = await loadCurrentDependencies(deps, reader.workspace);
  return lists
    .filter(({ archived }) => !archived)
    .map(({ language, name, content }) => ({
      kind: "dependencies",
      path: `${name ? `${name}.` : ""}${dependencyFiles[language]}`,
      value: content,
    }));
}
