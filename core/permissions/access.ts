import * as z from "zod";
import { extraPerms } from "../../contract/common.ts";
import { defineObject, inWorkspace } from "../objects/define-object.ts";
import { type Right, type Rights, roleSchema } from "../people/rights.ts";

export const memberSchema = z.object({
  email: z.string(),
  username: z.string(),
  role: roleSchema,
  disabled: z.boolean().optional(),
  createdAtMs: z.number(),
});
export type Member = z.infer<typeof memberSchema>;

const folderAccess = z.object({ owners: z.array(z.string()), perms: extraPerms });
const groupSchema = z.object({
  /** A new id for each creation: a group that is created under the name of a deleted group is another group. Absent for old groups. */
  id: z.string().optional(),
  summary: z.string().optional(),
  members: z.array(z.string()),
  perms: extraPerms,
});
/**
 * The permissions of a workspace in one item. Every call reads it, so a change takes effect immediately and need not be copied to each member.
 * `objects` contains the extra permissions of single objects by `<kind> <path>`.
 */
export const accessSchema = z.object({
  groups: z.record(z.string(), groupSchema),
  folders: z.record(z.string(), folderAccess),
  objects: z.record(z.string(), extraPerms),
  /** The state of the workspace. Absent: active. It is stored here because every call reads this item. */
  state: z.enum(["archived", "deleted"]).optional(),
  /** The workspace has a success handler. It is stored here, so that a job can be created with this knowledge without another read. */
  successHandled: z.literal(true).optional(),
  /** The workspace reports recoveries, so that the end of a successful job reads its settings. */
  recoveryNoticed: z.literal(true).optional(),
});
export type Access = z.infer<typeof accessSchema>;
export const noAccess: Access = { groups: {}, folders: {}, objects: {} };
/** The group of all members. It cannot be created or deleted. */
export const ALL = "all";
/** The group whose rights the handlers of a workspace have. Rights can be given to it whether or not it has members. */
export const HANDLER_GROUP = "error_handler";

const strength: Record<Right, number> = { read: 1, write: 2, owner: 3 };
/** Returns whether a right includes another one. */
export const includesRight = (right: Right | undefined, required: Right) => right !== undefined && strength[right] >= strength[required];
const stronger = (a: Right | undefined, b: Right | undefined) => (a && includesRight(a, b ?? "read") ? a : (b ?? a));

/** Returns the strongest right that extra permissions grant to one of `principals` (`u/…`, `g/…`): true is write, false is read. */
export function strongestRight(perms: Readonly<Record<string, boolean>>, principals: ReadonlySet<string>): Right | undefined {
  let found: Right | undefined;
  for (const [principal, writes] of Object.entries(perms)) {
    if (principals.has(principal)) found = stronger(found, writes ? "write" : "read");
  }
  return found;
}

function groupsOf(access: Access, username: string, instanceGroups: readonly string[] = []): string[] {
  const ownGroups = Object.entries(access.groups).filter(([, { members }]) => members.includes(username));
  return [...new Set([ALL, ...ownGroups.map(([name]) => name), ...instanceGroups])];
}

/** Derives the rights of a member from role, groups and permissions. */
export function deriveRights(
  workspace: string,
  { username, role }: Pick<Member, "username" | "role">,
  access: Access,
  instanceGroups: readonly string[] = [],
): Rights {
  const groups = groupsOf(access, username, instanceGroups);
  return collectRights({ workspace, role, groups }, new Set([`u/${username}`, ...groups.map((name) => `g/${name}`)]), access);
}

/**
 * Derives the rights of a job that runs as a group: those that were granted to the group and to all members. It owns no user's folder (`u/…`),
 * and may not change anything without a path, such as the folders of the workspace.
 */
export function deriveGroupRights(workspace: string, group: string, access: Access): Rights {
  const groups = [ALL, group];
  const principals = new Set(groups.map((name) => `g/${name}`));
  return { ...collectRights({ workspace, role: "developer", groups }, principals, access), asGroup: true };
}

function collectRights(
  { workspace, role, groups }: Pick<Rights, "workspace" | "role" | "groups">,
  principals: ReadonlySet<string>,
  access: Access,
): Rights {
  const folders: Record<string, Right> = {};
  for (const [name, { owners, perms }] of Object.entries(access.folders)) {
    const right = owners.some((owner) => principals.has(owner)) ? "owner" : strongestRight(perms, principals);
    if (right) folders[name] = right;
  }
  const objects: Record<string, Right> = {};
  for (const [key, perms] of Object.entries(access.objects)) {
    const right = strongestRight(perms, principals);
    if (right) objects[key] = right;
  }
  for (const [name, { perms }] of Object.entries(access.groups)) {
    if (strongestRight(perms, principals) === "write") objects[accessObjectKey("group_", name)] = "owner";
  }
  return { workspace, role, groups, folders, objects };
}

/** Returns the key of an object in `objects`. */
export const accessObjectKey = (kind: string, path: string) => `${kind} ${path}`;

/**
 * Lists the users and groups who may change the object at a path, in alphabetical order. Admins are not listed: they may change every object.
 */
export function listWriters({ folders, objects }: Access, kind: string, path: string): string[] {
  const [space, name = ""] = path.split("/");
  const folder = space === "f" && Object.hasOwn(folders, name) ? folders[name] : undefined;
  const object = accessObjectKey(kind, path);
  const permissionLists = [folder?.perms ?? {}, Object.hasOwn(objects, object) ? (objects[object] ?? {}) : {}];
  const named = permissionLists.flatMap((perms) => Object.keys(perms).filter((principal) => perms[principal]));
  return [...new Set([...(space === "u" ? [`u/${name}`] : []), ...(folder?.owners ?? []), ...named])].sort();
}

/** Returns whether a text is a principal: `u/<user>` or `g/<group>`. */
export const isPrincipal = (text: string) => /^[ug]\/[A-Za-z0-9_-]{1,100}$/.test(text);

/** Returns whether a user or group has a right by name. */
export function hasGrants({ folders, objects, groups }: Access, principal: string): boolean {
  const perms = [...Object.values(objects), ...[...Object.values(folders), ...Object.values(groups)].map((one) => one.perms)];
  return (
    perms.some((grants) => Object.hasOwn(grants, principal)) || Object.values(folders).some(({ owners }) => owners.includes(principal))
  );
}

/** Revokes every right that a user or group has by name, so that a later owner of the name does not inherit it. */
export function revokeGrants(access: Access, principal: string): void {
  const without = (perms: Record<string, boolean>) => Object.fromEntries(Object.entries(perms).filter(([name]) => name !== principal));
  for (const folder of Object.values(access.folders)) {
    folder.owners = folder.owners.filter((owner) => owner !== principal);
    folder.perms = without(folder.perms);
  }
  for (const [key, perms] of Object.entries(access.objects)) access.objects[key] = without(perms);
  for (const group of Object.values(access.groups)) {
    group.members = group.members.filter((member) => `u/${member}` !== principal);
    group.perms = without(group.perms);
  }
}

/** A user's role in a workspace, by `personKey`: read for every call. */
export const memberObject = defineObject({
  name: "member",
  partition: "M",
  ...inWorkspace,
  sort: (person: string) => person,
  schema: memberSchema,
});

/** Groups and the permissions of folders and objects: read for every call. */
export const accessObject = defineObject({
  name: "permissions",
  partition: "ACCESS",
  ...inWorkspace,
  sort: () => "access",
  schema: accessSchema,
});
