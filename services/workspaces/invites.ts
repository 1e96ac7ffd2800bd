import { randomUUID } from "node:crypto";
import { SvcError } from "../../contract/errors.ts";
import type { Route } from "../../contract/route.ts";
import type { InviteJson } from "../../contract/routes/people/invite.ts";
import { memberRoutes, type NewMember } from "../../contract/routes/people/members.ts";
import { unchangedSince, write } from "../../core/objects/write.ts";
import type { Actor } from "../../core/people/actor.ts";
import { inviteObject } from "../../core/people/membership.ts";
import { personKey } from "../../core/people/person.ts";
import { workspaceObject } from "../../core/workspaces/workspace.ts";
import { buildInstanceEventWrites } from "../outbox/instance-event.ts";
import type { Uses } from "../uses.ts";
import { addMember } from "./add-member.ts";
import { isMember } from "./members.ts";
import { listWorkspaceIds } from "./workspaces.ts";

/** Invites a person to a workspace. Another invitation replaces the first. Throws `member.exists`, `workspace.notFound`. */
export async function inviteUser(
  deps: Uses<"objects" | "nowMs" | "instanceEventsUrl">,
  workspace: string,
  { email, is_admin, operator }: NewMember,
): Promise<void> {
  const { objects } = deps;
  if (await isMember({ objects }, workspace, email)) throw new SvcError("member.exists", { email });
  const value: InviteJson = { workspace_id: workspace, email, is_admin, operator };
  const refused = await objects.transactWrite([
    write.check(workspaceObject.key(workspace), "present"),
    write.put({ ...inviteObject.key(workspace, personKey(email)), value, version: randomUUID() }),
    ...(await buildInstanceEventWrites(deps, [{ type: "UserInvitedWorkspace", data: { email, workspace } }])),
  ]);
  if (refused !== undefined) throw new SvcError("workspace.notFound", { workspace });
}

/** Lists the open invitations of a workspace. */
export async function listInvites({ objects }: Uses<"objects">, workspace: string): Promise<InviteJson[]> {
  return inviteObject.parseReadable(await objects.list(inviteObject.partitionKey(workspace)));
}

/** Withdraws an invitation. A repeated call changes nothing. */
export async function deleteInvite({ objects }: Uses<"objects">, workspace: string, email: string): Promise<void> {
  await objects.deleteItem(inviteObject.key(workspace, personKey(email)));
}

/** Lists the caller's invitations to all workspaces. */
export async function listOwnInvites({ objects }: Uses<"objects">, actor: Actor): Promise<InviteJson[]> {
  const workspaces = await listWorkspaceIds(objects);
  const found = await objects.batchGet(workspaces.map((id) => inviteObject.key(id, personKey(actor.email))));
  return inviteObject.parseReadable(found.filter((invite) => invite !== undefined));
}

/** Throws `auth.forbidden` for a token that is bound to another workspace. */
function checkBinding({ workspace: bound }: Actor, { name }: Route, workspace: string): void {
  if (bound !== undefined && bound !== workspace) throw new SvcError("auth.forbidden", { action: name });
}

/** Makes the caller a member of the workspace that invited them. Throws `auth.forbidden`, `invite.notFound`, `member.exists`, `user.usernameTaken`. */
export async function acceptInvite(
  deps: Uses<"objects" | "nowMs" | "instanceEventsUrl">,
  actor: Actor,
  workspace: string,
  username: string | undefined,
) {
  checkBinding(actor, memberRoutes.acceptInvite, workspace);
  const found = await deps.objects.get(inviteObject.key(workspace, personKey(actor.email)));
  if (!found) throw new SvcError("invite.notFound", { workspace });
  const { is_admin, operator } = inviteObject.parse(found);
  await addMember(
    deps,
    workspace,
    { email: actor.email, is_admin, operator, username },
    { inherits: false, invite: unchangedSince(found) },
  );
}

/** Declines an invitation of the caller. Throws `auth.forbidden`, `invite.notFound`. */
export async function declineInvite({ objects }: Uses<"objects">, actor: Actor, workspace: string): Promise<void> {
  checkBinding(actor, memberRoutes.declineInvite, workspace);
  const refused = await objects.transactWrite([write.remove(inviteObject.key(workspace, personKey(actor.email)), "present")]);
  if (refused !== undefined) throw new SvcError("invite.notFound", { workspace });
}
