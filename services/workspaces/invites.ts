import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { SvcError } from "../../contract/errors.ts";
import type { InviteJson, NewMember } from "../../contract/routes/people/members.ts";
import { workspaceRoutes } from "../../contract/routes/workspaces/workspaces.ts";
import { keys } from "../../core/objects/keys.ts";
import { write } from "../../core/objects/write.ts";
import type { Actor } from "../../core/people/actor.ts";
import { personKey } from "../../core/people/person.ts";
import { addMember, isMember } from "./members.ts";

interface Collaborators {
  objects: ObjectTable;
  nowMs: () => number;
}

/** Inviting again changes what the person is invited as. Throws `member.exists`, `workspace.notFound`. */
export async function inviteUser({ objects }: Collaborators, workspace: string, { email, is_admin, operator }: NewMember): Promise<void> {
  if (await isMember({ objects }, workspace, email)) throw new SvcError("member.exists", { email });
  const value: InviteJson = { workspace_id: workspace, email, is_admin, operator };
  const refused = await objects.transact([
    write.check(keys.workspace(workspace), "present"),
    write.put({ ...keys.invite(workspace, personKey(email)), value }),
  ]);
  if (refused !== undefined) throw new SvcError("workspace.notFound", { workspace });
}

export async function listInvites({ objects }: Pick<Collaborators, "objects">, workspace: string): Promise<InviteJson[]> {
  return (await objects.list(keys.invite(workspace, "").pk)).map(({ value }) => value as InviteJson);
}

export async function deleteInvite({ objects }: Pick<Collaborators, "objects">, workspace: string, email: string): Promise<void> {
  await objects.remove(keys.invite(workspace, personKey(email)));
}

export async function listOwnInvites({ objects }: Pick<Collaborators, "objects">, actor: Actor): Promise<InviteJson[]> {
  const all = workspaceRoutes.listWorkspaces.reply.json.parse((await objects.list("WORKSPACES")).map(({ value }) => value));
  const found = await objects.getMany(all.map(({ id }) => keys.invite(id, personKey(actor.email))));
  return found.flatMap((one) => (one ? [one.value as InviteJson] : []));
}

/** Throws `invite.notFound`, `member.exists`, `user.usernameTaken`. */
export async function acceptInvite(collaborators: Collaborators, actor: Actor, workspace: string, username: string | undefined) {
  const found = await collaborators.objects.get(keys.invite(workspace, personKey(actor.email)));
  if (!found) throw new SvcError("invite.notFound", { workspace });
  const { is_admin, operator } = found.value as InviteJson;
  await addMember(collaborators, workspace, { email: actor.email, is_admin, operator, username }, { inherits: false });
}

/** Throws `invite.notFound`. */
export async function declineInvite({ objects }: Pick<Collaborators, "objects">, actor: Actor, workspace: string): Promise<void> {
  const refused = await objects.transact([write.remove(keys.invite(workspace, personKey(actor.email)), "present")]);
  if (refused !== undefined) throw new SvcError("invite.notFound", { workspace });
}
