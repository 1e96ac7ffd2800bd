import type { ObjectTable } from "../../aws/object-table.ts";
import { SvcError } from "../../contract/errors.ts";
import { type NewWorkspace, type WorkspaceJson, workspaceRoutes } from "../../contract/routes/workspaces.ts";
import { keys } from "../../core/objects/keys.ts";
import { write } from "../../core/objects/write.ts";
import type { Actor } from "../../core/people/actor.ts";
import { personKey } from "../../core/people/person.ts";
import { type Member, memberSchema, noAccess } from "../../core/permissions/access.ts";

interface Collaborators {
  objects: ObjectTable;
  nowMs: () => number;
}
const listed = workspaceRoutes.listWorkspaces.reply.json;

/** A workspace whose maker administers it. */
export function newWorkspaceWrites(asked: { email: string; username: string; workspace: Omit<WorkspaceJson, "owner"> }, nowMs: number) {
  const { email, username, workspace } = asked;
  const value: WorkspaceJson = { ...workspace, owner: email };
  return [
    write.put({ ...keys.workspace(workspace.id), value }, "absent"),
    write.put({ ...keys.access(workspace.id), value: noAccess, mark: "new" }, "absent"),
    ...memberWrites(workspace.id, { email, username, role: "admin", createdAtMs: nowMs }),
  ];
}

/** The parts of a transaction that make a member; the first two fail where the person is one already, or the username is somebody else's. */
export function memberWrites(workspace: string, member: Member) {
  return [
    write.put({ ...keys.member(workspace, personKey(member.email)), value: member }, "absent"),
    write.put({ ...keys.username(workspace, member.username), value: { email: member.email } }, "absent"),
  ];
}

/** Throws `workspace.exists`. */
export async function createWorkspace({ objects, nowMs }: Collaborators, actor: Actor, asked: NewWorkspace): Promise<void> {
  const { id, name, color, username = actor.username } = asked;
  const workspace = { id, name, ...(color ? { color } : {}) };
  const refused = await objects.transact(newWorkspaceWrites({ email: actor.email, username, workspace }, nowMs()));
  if (refused !== undefined) throw new SvcError("workspace.exists", { workspace: id });
}

/** The workspaces that somebody is a member of, with what they are there. */
export async function workspacesOf({ objects }: Collaborators, email: string): Promise<{ workspace: WorkspaceJson; member: Member }[]> {
  const all = listed.parse((await objects.list("WORKSPACES")).map(({ value }) => value));
  const members = await objects.getMany(all.map(({ id }) => keys.member(id, personKey(email))));
  return all.flatMap((workspace, index) => {
    const found = members[index];
    return found ? [{ workspace, member: memberSchema.parse(found.value) }] : [];
  });
}

/** Every workspace for a superadmin, else those that the caller is in; a bound token knows its own alone. */
export async function listWorkspaces(collaborators: Collaborators, actor: Actor): Promise<WorkspaceJson[]> {
  const found = actor.superAdmin
    ? listed.parse((await collaborators.objects.list("WORKSPACES")).map(({ value }) => value))
    : (await workspacesOf(collaborators, actor.email)).filter(({ member }) => !member.disabled).map(({ workspace }) => workspace);
  return found.filter(({ id }) => actor.workspace === undefined || actor.workspace === id);
}

/** Whose it is not cannot tell: for them there is no such workspace. */
export async function workspaceExists({ objects }: Collaborators, actor: Actor, id: string): Promise<boolean> {
  const [workspace, member] = await objects.getMany([keys.workspace(id), keys.member(id, personKey(actor.email))], { consistent: true });
  return workspace !== undefined && (actor.superAdmin || member !== undefined) && (actor.workspace === undefined || actor.workspace === id);
}
