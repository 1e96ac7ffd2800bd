import { accessRoutes } from "../../contract/routes/people/access.ts";
import { memberRoutes as routes } from "../../contract/routes/people/members.ts";
import { paginate } from "../../core/objects/page.ts";
import { may } from "../../core/permissions/may.ts";
import { countTokens } from "../../services/identity/tokens/tokens.ts";
import { addMember } from "../../services/workspaces/add-member.ts";
import { acceptInvite, declineInvite, deleteInvite, inviteUser, listInvites, listOwnInvites } from "../../services/workspaces/invites.ts";
import {
  findMember,
  getCurrentUser,
  getMember,
  leaveWorkspace,
  listMembers,
  listUsernames,
  removeMember,
  updateMember,
} from "../../services/workspaces/members.ts";
import { listUserWorkspaces } from "../../services/workspaces/workspaces.ts";
import type { ApiRoutes } from "../shared/edge/domain-api.ts";
import { on } from "../shared/edge/edge.ts";
import { json, text } from "../shared/reply/reply.ts";
import { deps } from "./deps.ts";

export const members: ApiRoutes = [
  on(routes.whoami, async ({ auth, params: { workspace } }) => json(200, await getCurrentUser(deps, auth.actor, workspace))),
  on(routes.listMembers, async ({ auth: { actor }, params: { workspace } }) => json(200, await listMembers(deps, { actor, workspace }))),
  on(routes.listUsernames, async ({ params: { workspace } }) => json(200, await listUsernames(deps, workspace))),
  on(routes.getMember, async ({ auth: { actor }, params: { workspace, username } }) =>
    json(200, await getMember(deps, { actor, workspace }, username)),
  ),
  on(routes.countTokens, async ({ params: { workspace, username } }) => {
    const { email } = await findMember(deps, workspace, username);
    return json(200, { tokens: await countTokens(deps, email, workspace) });
  }),
  on(routes.whois, async ({ auth: { actor }, params: { workspace, username } }) =>
    json(200, await getMember(deps, { actor, workspace }, username)),
  ),
  on(routes.usernameToEmail, async ({ params: { workspace, username } }) => text(200, (await findMember(deps, workspace, username)).email)),
  on(routes.isOwner, async ({ auth, params: { workspace, path } }) =>
    json(200, may(auth.actor, accessRoutes.addAcl.access, { workspace, path })),
  ),
  on(routes.updateMember, async ({ params: { workspace, username }, body }) => {
    await updateMember(deps, workspace, username, body);
    return text(200, `The user ${username} was changed.`);
  }),
  on(routes.deleteMember, async ({ params: { workspace, username } }) => {
    await removeMember(deps, workspace, username);
    return text(200, `The user ${username} is no longer in this workspace.`);
  }),
  on(routes.addMember, async ({ params: { workspace }, body }) => {
    await addMember(deps, workspace, body, { inherits: body.username != null });
    return text(201, `${body.email} is now in this workspace.`);
  }),
  on(routes.inviteMember, async ({ params: { workspace }, body }) => {
    await inviteUser(deps, workspace, body);
    return text(201, `${body.email} was invited.`);
  }),
  on(routes.listInvitesOfWorkspace, async ({ params: { workspace } }) => json(200, await listInvites(deps, workspace))),
  on(routes.deleteInvite, async ({ params: { workspace }, body }) => {
    await deleteInvite(deps, workspace, body.email);
    return text(200, `The invitation of ${body.email} was withdrawn.`);
  }),
  on(routes.leave, async ({ auth: { actor }, params: { workspace } }) => {
    await leaveWorkspace(deps, { actor, workspace });
    return text(200, `You have left ${workspace}.`);
  }),
  on(routes.myWorkspaces, async ({ auth: { actor } }) =>
    json(200, { email: actor.email, workspaces: await listUserWorkspaces(deps, actor) }),
  ),
  on(routes.listInvites, async ({ auth, query }) => json(200, paginate(await listOwnInvites(deps, auth.actor), query))),
  on(routes.acceptInvite, async ({ auth, body }) => {
    await acceptInvite(deps, auth.actor, body.workspace_id, body.username ?? undefined);
    return text(200, `You have joined ${body.workspace_id}.`);
  }),
  on(routes.declineInvite, async ({ auth, body }) => {
    await declineInvite(deps, auth.actor, body.workspace_id);
    return text(200, "The invitation was declined.");
  }),
];
