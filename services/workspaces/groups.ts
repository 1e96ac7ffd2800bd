import { createHash, randomUUID } from "node:crypto";
import { actions } from "../../contract/access/actions.ts";
import { defined } from "../../contract/defined.ts";
import { SvcError } from "../../contract/errors.ts";
import type { GroupJson } from "../../contract/routes/people/access.ts";
import { type ExpectedVersions, requireVersion, type Versioned } from "../../core/objects/version.ts";
import { write } from "../../core/objects/write.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { instanceGroupObject } from "../../core/people/instance-group.ts";
import { usernameObject } from "../../core/people/membership.ts";
import { type Access, ALL, accessObjectKey, HANDLER_GROUP, hasGrants, revokeGrants } from "../../core/permissions/access.ts";
import { may } from "../../core/permissions/may.ts";
import { formerGroupObject, workspaceObject } from "../../core/workspaces/workspace.ts";
import type { Uses } from "../uses.ts";
import { changeAccess, loadAccess } from "./access.ts";
import { findMember, loadMembers } from "./members.ts";

type Group = Access["groups"][string];

function requireGroup(access: Access, name: string): Group {
  if (name === ALL) throw new SvcError("group.all", {});
  const group = Object.hasOwn(access.groups, name) ? access.groups[name] : undefined;
  if (!group) throw new SvcError("group.notFound", { name });
  return group;
}

/** Lists the groups of a workspace by name, including the group `all` of all its members. */
export async function listGroups({ objects }: Uses<"objects">, workspace: string): Promise<GroupJson[]> {
  const [{ access }, members] = await Promise.all([loadAccess(objects, workspace), loadMembers(objects, workspace)]);
  const all = { name: ALL, summary: "All users of this workspace.", members: members.map(({ username }) => username), extra_perms: {} };
  const groups = Object.entries(access.groups).map(([name, { summary, members: inIt, perms }]) => ({
    name,
    ...defined({ summary }),
    members: inIt,
    extra_perms: perms,
  }));
  return [all, ...groups].sort((a, b) => a.name.localeCompare(b.name));
}

/** Lists the names of the groups of a workspace; with `onlyOwn`, those of which the caller is a member. */
export async function listGroupNames(
  deps: Uses<"objects">,
  { actor, workspace }: WorkspaceCaller,
  { onlyOwn }: { onlyOwn: boolean },
): Promise<string[]> {
  const names = (await listGroups(deps, workspace)).map(({ name }) => name);
  return onlyOwn ? names.filter((name) => actor.rights?.groups.includes(name)) : names;
}

/** Returns the version of a group. Its members are no part of it, because other requests change them. */
const versionOf = ({ id = "", summary = "" }: Pick<Group, "id" | "summary">): string =>
  createHash("sha256")
    .update(JSON.stringify([id, summary]))
    .digest("hex")
    .slice(0, 32);

/** Returns a group with its members, and the version that a change of it can name. Throws `group.notFound`. */
export async function getVersionedGroup(deps: Uses<"objects">, workspace: string, name: string): Promise<Versioned<GroupJson>> {
  const [json, { access }] = await Promise.all([getGroup(deps, workspace, name), loadAccess(deps.objects, workspace)]);
  return { json, version: versionOf((Object.hasOwn(access.groups, name) ? access.groups[name] : undefined) ?? {}) };
}

/** Returns a group with its members. Throws `group.notFound`. */
export async function getGroup(deps: Uses<"objects">, workspace: string, name: string): Promise<GroupJson> {
  const found = (await listGroups(deps, workspace)).find((group) => group.name === name);
  if (!found) throw new SvcError("group.notFound", { name });
  return found;
}

/**
 * Creates a group whose first member and administrator is the caller, unless the caller is a superadmin who is not a member: another member may
 * have the same username. Throws `workspace.notFound`, and `group.exists` also for the name of an instance group, because members would get its
 * rights. Throws `group.former` for a name that has rights or belonged to a deleted group, which flows and approvals may still name, and for the
 * group of handlers, unless an admin creates it.
 */
export async function createGroup(
  { objects }: Uses<"objects">,
  { actor, workspace }: WorkspaceCaller,
  { name, summary }: { name: string; summary: string | null | undefined },
): Promise<void> {
  const { username, rights } = actor;
  const first = rights ? { members: [username], perms: { [`u/${username}`]: true } } : { members: [], perms: {} };
  const mayInherit = may(actor, actions.updateMember.access, { workspace });
  const former = formerGroupObject.key(workspace, name);
  await changeAccess(
    objects,
    workspace,
    (access) => {
      const { groups } = access;
      const isTaken = name === ALL || Object.hasOwn(groups, name);
      if (isTaken) throw new SvcError("group.exists", { name });
      // Its members get access to everything that is shared with the handlers of the workspace.
      const isHandlers = name === HANDLER_GROUP;
      if (!mayInherit && (isHandlers || hasGrants(access, `g/${name}`))) throw new SvcError("group.former", { name });
      groups[name] = { id: randomUUID(), ...(summary ? { summary } : {}), ...first };
    },
    {
      by: actor,
      also: [
        write.check(workspaceObject.key(workspace), "present"),
        write.check(instanceGroupObject.key(name), "absent"),
        mayInherit ? write.remove(former) : write.check(former, "absent"),
      ],
      refused: (part) => {
        if (part === 0) return new SvcError("workspace.notFound", { workspace });
        return part === 1 ? new SvcError("group.exists", { name }) : new SvcError("group.former", { name });
      },
    },
  );
}

/** The change of a group. `expected`: the versions that the caller has read. Absent: any. */
interface GroupChange {
  name: string;
  summary: string | null | undefined;
  expected?: ExpectedVersions | undefined;
}

/**
 * Sets the summary of a group. An empty or absent summary removes it. Throws `group.notFound`, `group.all`, `access.tooMuch`,
 * `object.versionChanged`.
 */
export async function setGroupSummary(
  { objects }: Uses<"objects">,
  { actor, workspace }: WorkspaceCaller,
  { name, summary, expected }: GroupChange,
): Promise<void> {
  const change = (access: Access) => {
    const group = requireGroup(access, name);
    requireVersion({ version: versionOf(group) }, { path: name, expected });
    if (summary) group.summary = summary;
    else delete group.summary;
  };
  await changeAccess(objects, workspace, change, { by: actor });
}

/** Deletes a group and revokes all its rights. Throws `group.notFound`, `group.all`. */
export async function deleteGroup({ objects }: Uses<"objects">, workspace: string, name: string): Promise<void> {
  const change = (access: Access) => {
    requireGroup(access, name);
    delete access.groups[name];
    revokeGrants(access, `g/${name}`);
    delete access.objects[accessObjectKey("group_", name)];
  };
  await changeAccess(objects, workspace, change, { by: "bounded", also: [write.put(formerGroupObject.key(workspace, name))] });
}

/**
 * Adds a member to a group under the username that the member has: another spelling would count as another member. A repeated call changes
 * nothing. Throws `group.notFound`, `group.all`, `member.notFound`, `access.tooMuch`.
 */
export async function addToGroup(
  { objects }: Uses<"objects">,
  { actor, workspace }: WorkspaceCaller,
  name: string,
  nameOrEmail: string,
): Promise<void> {
  requireGroup((await loadAccess(objects, workspace)).access, name);
  const { username } = await findMember({ objects }, workspace, nameOrEmail);
  await changeAccess(
    objects,
    workspace,
    (access) => {
      const group = requireGroup(access, name);
      if (!group.members.includes(username)) group.members.push(username);
    },
    {
      by: actor,
      also: [write.check(usernameObject.key(workspace, username), "present")],
      refused: () => new SvcError("member.notFound", { username }),
    },
  );
}

/** Removes a member from a group. Throws `group.notFound`, `group.all`. */
export async function removeFromGroup({ objects }: Uses<"objects">, workspace: string, name: string, username: string): Promise<void> {
  const change = (access: Access) => {
    const group = requireGroup(access, name);
    group.members = group.members.filter((member) => member !== username);
  };
  await changeAccess(objects, workspace, change, { by: "bounded" });
}
