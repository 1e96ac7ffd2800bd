import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { actions } from "../../contract/access/actions.ts";
import { SvcError } from "../../contract/errors.ts";
import type { GroupJson } from "../../contract/routes/people/access.ts";
import { keys } from "../../core/objects/keys.ts";
import { write } from "../../core/objects/write.ts";
import type { Actor } from "../../core/people/actor.ts";
import { type Access, ALL, accessObjectKey, hasGrants, revokeGrants } from "../../core/permissions/access.ts";
import { may } from "../../core/permissions/may.ts";
import { changeAccess, loadAccess } from "./access.ts";
import { loadMembers } from "./members.ts";

interface Collaborators {
  objects: ObjectTable;
}
type Group = Access["groups"][string];

function groupIn(access: Access, name: string): Group {
  if (name === ALL) throw new SvcError("group.all", {});
  const group = Object.hasOwn(access.groups, name) ? access.groups[name] : undefined;
  if (!group) throw new SvcError("group.notFound", { name });
  return group;
}

export async function listGroups({ objects }: Collaborators, workspace: string): Promise<GroupJson[]> {
  const [{ access }, members] = await Promise.all([loadAccess(objects, workspace), loadMembers(objects, workspace)]);
  const all = { name: ALL, summary: "All users of this workspace.", members: members.map(({ username }) => username), extra_perms: {} };
  const made = Object.entries(access.groups).map(([name, { summary, members: inIt, perms }]) => ({
    name,
    ...(summary === undefined ? {} : { summary }),
    members: inIt,
    extra_perms: perms,
  }));
  return [all, ...made].sort((a, b) => a.name.localeCompare(b.name));
}

/** Throws `group.notFound`. */
export async function getGroup(collaborators: Collaborators, workspace: string, name: string): Promise<GroupJson> {
  const found = (await listGroups(collaborators, workspace)).find((group) => group.name === name);
  if (!found) throw new SvcError("group.notFound", { name });
  return found;
}

/**
 * Throws `group.exists`, also for the name of a group of the instance, whose rights its members would have, and, unless an admin makes it, for
 * a name that rights were given to before there is a group.
 */
export async function createGroup(
  { objects }: Collaborators,
  actor: Actor,
  workspace: string,
  name: string,
  summary: string | null | undefined,
): Promise<void> {
  const { username } = actor;
  await changeAccess(
    objects,
    workspace,
    (access) => {
      const { groups } = access;
      const isTaken = name === ALL || Object.hasOwn(groups, name);
      const mayTakeOver = may(actor, actions.updateMember.access, { workspace });
      if (isTaken || (hasGrants(access, `g/${name}`) && !mayTakeOver)) throw new SvcError("group.exists", { name });
      groups[name] = { ...(summary ? { summary } : {}), members: [username], perms: { [`u/${username}`]: true } };
    },
    [write.check(keys.workspace(workspace), "present"), write.check(keys.instanceGroup(name), "absent")],
    (part) => (part === 0 ? new SvcError("workspace.notFound", { workspace }) : new SvcError("group.exists", { name })),
  );
}

/** Throws `group.notFound`, `group.all`. */
export async function updateGroup(
  { objects }: Collaborators,
  workspace: string,
  name: string,
  change: (group: Group) => void,
): Promise<void> {
  await changeAccess(objects, workspace, (access) => change(groupIn(access, name)));
}

/** Throws `group.notFound`, `group.all`. */
export async function deleteGroup({ objects }: Collaborators, workspace: string, name: string): Promise<void> {
  await changeAccess(objects, workspace, (access) => {
    groupIn(access, name);
    delete access.groups[name];
    revokeGrants(access, `g/${name}`);
    delete access.objects[accessObjectKey("group_", name)];
  });
}

/** Putting in who is in changes nothing. Throws `group.notFound`, `group.all`, `member.notFound`. */
export async function addToGroup({ objects }: Collaborators, workspace: string, name: string, username: string): Promise<void> {
  await changeAccess(
    objects,
    workspace,
    (access) => {
      const group = groupIn(access, name);
      if (!group.members.includes(username)) group.members.push(username);
    },
    [write.check(keys.username(workspace, username), "present")],
    () => new SvcError("member.notFound", { username }),
  );
}

export async function removeFromGroup(collaborators: Collaborators, workspace: string, name: string, username: string): Promise<void> {
  await updateGroup(collaborators, workspace, name, (group) => {
    group.members = group.members.filter((member) => member !== username);
  });
}
