import { randomUUID } from "node:crypto";
import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { SvcError } from "../../contract/errors.ts";
import { type NewWorkspace, type WorkspaceJson, workspaceRoutes } from "../../contract/routes/workspaces/workspaces.ts";
import { keys } from "../../core/objects/keys.ts";
import { type Expectation, type ObjectChange, write } from "../../core/objects/write.ts";
import type { Actor } from "../../core/people/actor.ts";
import { personKey } from "../../core/people/person.ts";
import { type Member, memberSchema, noAccess } from "../../core/permissions/access.ts";
import { retryOnConflict } from "../outbox/commit-parts.ts";

interface Collaborators {
  objects: ObjectTable;
  nowMs: () => number;
}
const listed = workspaceRoutes.listWorkspaces.reply.json;

/** A workspace whose maker administers it. */
export function buildWorkspaceWrites(asked: { email: string; username: string; workspace: Omit<WorkspaceJson, "owner"> }, nowMs: number) {
  const { email, username, workspace } = asked;
  const value: WorkspaceJson = { ...workspace, owner: email };
  return [
    write.check(keys.deletedWorkspace(workspace.id), "absent"),
    write.put({ ...keys.workspace(workspace.id), value }, "absent"),
    write.put({ ...keys.access(workspace.id), value: noAccess, version: "new" }, "absent"),
    ...buildMemberWrites(workspace.id, { email, username, role: "admin", createdAtMs: nowMs }),
  ];
}

/** The parts of a transaction that make a member; the first two fail where the person is one already, or the username is somebody else's. */
export function buildMemberWrites(workspace: string, member: Member) {
  return [
    write.put({ ...keys.member(workspace, personKey(member.email)), value: member }, "absent"),
    write.put({ ...keys.username(workspace, member.username), value: { email: member.email } }, "absent"),
  ];
}

/** Throws `workspace.exists`, `workspace.beingDeleted`. */
export async function createWorkspace({ objects, nowMs }: Collaborators, actor: Actor, asked: NewWorkspace): Promise<void> {
  const { id, name, color, username = actor.username } = asked;
  const workspace = { id, name, ...(color ? { color } : {}) };
  const refused = await objects.transact(buildWorkspaceWrites({ email: actor.email, username, workspace }, nowMs()));
  if (refused !== undefined) throw new SvcError(refused === 0 ? "workspace.beingDeleted" : "workspace.exists", { workspace: id });
}

/** The write that changes a workspace's record, if it is still as it was read. Throws `workspace.notFound`. */
export async function buildWorkspaceUpdate(
  { objects }: Pick<Collaborators, "objects">,
  workspace: string,
  change: (record: WorkspaceJson) => WorkspaceJson,
): Promise<{ change: ObjectChange; expect: Expectation }> {
  const found = await objects.get(keys.workspace(workspace));
  if (!found) throw new SvcError("workspace.notFound", { workspace });
  const value = change(found.value as WorkspaceJson);
  return {
    change: { ...keys.workspace(workspace), value, version: randomUUID() },
    expect: found.version === undefined ? "unversioned" : { version: found.version },
  };
}

/** Changes a workspace's record; of two changes at once, one is made on what the other left. Throws `workspace.notFound`, `access.changedMeanwhile`. */
export async function updateWorkspace(
  collaborators: Pick<Collaborators, "objects">,
  workspace: string,
  change: (record: WorkspaceJson) => WorkspaceJson,
): Promise<void> {
  await retryOnConflict(
    async () => {
      const changed = await buildWorkspaceUpdate(collaborators, workspace, change);
      return (await collaborators.objects.update(changed.change, changed.expect)) ? { done: undefined } : undefined;
    },
    () => new SvcError("access.changedMeanwhile", {}),
  );
}

/** The workspaces that somebody is a member of, with what they are there. */
export async function listMemberships({ objects }: Collaborators, email: string): Promise<{ workspace: WorkspaceJson; member: Member }[]> {
  const all = await listAllWorkspaces({ objects });
  const members = await objects.getMany(all.map(({ id }) => keys.member(id, personKey(email))));
  return all.flatMap((workspace, index) => {
    const found = members[index];
    return found ? [{ workspace, member: memberSchema.parse(found.value) }] : [];
  });
}

/** Archived ones included. */
export async function listAllWorkspaces({ objects }: Pick<Collaborators, "objects">): Promise<WorkspaceJson[]> {
  return listed.parse((await objects.list(keys.workspace("").pk)).map(({ value }) => value));
}

/** Every workspace for a superadmin, else those that the caller is in; a bound token knows its own alone. Archived ones are left out. */
export async function listWorkspaces(collaborators: Collaborators, actor: Actor): Promise<WorkspaceJson[]> {
  const found = actor.superAdmin
    ? await listAllWorkspaces(collaborators)
    : (await listMemberships(collaborators, actor.email)).filter(({ member }) => !member.disabled).map(({ workspace }) => workspace);
  return found.filter(({ id, deleted }) => !deleted && (actor.workspace === undefined || actor.workspace === id));
}

/** Returns false for callers who may not see the workspace, as if it did not exist. */
export async function workspaceExists({ objects }: Collaborators, actor: Actor, id: string): Promise<boolean> {
  const [workspace, member] = await objects.getMany([keys.workspace(id), keys.member(id, personKey(actor.email))], { consistent: true });
  return workspace !== undefined && (actor.superAdmin || member !== undefined) && (actor.workspace === undefined || actor.workspace === id);
}

/** Whether a username is taken, for who is in the workspace or invited to it; for others nothing is there. */
export async function usernameExists(
  { objects }: Pick<Collaborators, "objects">,
  actor: Actor,
  id: string,
  username: string,
): Promise<boolean> {
  const person = personKey(actor.email);
  const wanted = [keys.username(id, username), keys.workspace(id), keys.member(id, person), keys.invite(id, person)];
  const [taken, workspace, member, invited] = await objects.getMany(wanted, { consistent: true });
  const knows = (actor.superAdmin || member || invited) && (actor.workspace === undefined || actor.workspace === id);
  return Boolean(taken && workspace && knows);
}
