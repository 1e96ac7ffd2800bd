import * as z from "zod";
import { actions } from "../../access/actions.ts";
import { atPath, inWorkspace, page, username, workspaceId } from "../../common.ts";
import { defineRoute } from "../../route.ts";
import { inviteSchema } from "./invite.ts";
import { userSchema } from "./people.ts";

const w = "/api/w/{workspace}";
const read = { method: "GET", fn: "people", auth: "token", status: 200 } as const;
const post = { method: "POST", fn: "people", auth: "token", status: 200 } as const;
const byUsername = z.object({ workspace: workspaceId, username: z.string().min(1).max(100) });
const done = { text: "A confirmation." };
const changeErrors = ["member.notFound", "workspace.notFound", "access.changedMeanwhile"] as const;

export const newMemberSchema = z.object({
  email: z.email().max(320),
  is_admin: z.boolean(),
  operator: z.boolean(),
  username: username.nullish(),
});
export type NewMember = z.output<typeof newMemberSchema>;
export const memberChangeSchema = z.object({
  is_admin: z.boolean().nullish(),
  operator: z.boolean().nullish(),
  disabled: z.boolean().nullish(),
});
export type MemberChange = z.output<typeof memberChangeSchema>;
const userWorkspaces = z.object({
  email: z.string(),
  workspaces: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      username: z.string(),
      color: z.string(),
      disabled: z.boolean(),
      is_dev_workspace: z.boolean(),
    }),
  ),
});

const readInWorkspace = { domain: "users", verb: "read", need: "read", target: "none" } as const;
const adminWrite = { domain: "workspaces", verb: "write", need: "admin", target: "none" } as const;
const selfWrite = { domain: "users", verb: "write", need: "self", target: "none", personal: true } as const;

export const memberRoutes = {
  whoami: defineRoute({
    ...read,
    name: "users.whoami",
    summary: "Get your user in a workspace.",
    path: `${w}/users/whoami`,
    access: readInWorkspace,
    params: inWorkspace,
    reply: { json: userSchema },
    errors: ["workspace.notFound"],
  }),
  listMembers: defineRoute({
    ...read,
    name: "users.list",
    summary: "List the users of a workspace.",
    path: `${w}/users/list`,
    access: readInWorkspace,
    params: inWorkspace,
    reply: { json: z.array(userSchema) },
    errors: ["workspace.notFound"],
  }),
  listUsernames: defineRoute({
    ...read,
    name: "users.listUsernames",
    summary: "List the usernames of a workspace.",
    path: `${w}/users/list_usernames`,
    access: readInWorkspace,
    params: inWorkspace,
    reply: { json: z.array(z.string()) },
    errors: ["workspace.notFound"],
  }),
  getMember: defineRoute({
    ...read,
    name: "users.get",
    summary: "Get a user of a workspace.",
    path: `${w}/users/get/{username}`,
    access: readInWorkspace,
    params: byUsername,
    reply: { json: userSchema },
    errors: ["member.notFound"],
  }),
  countTokens: defineRoute({
    ...read,
    name: "users.countTokens",
    summary: "Count the valid tokens of a user that reach this workspace, without sessions: they lose it when the user is removed.",
    path: `${w}/users/token_count/{username}`,
    access: { domain: "users", verb: "read", need: "admin", target: "none" },
    params: byUsername,
    reply: { json: z.object({ tokens: z.int() }) },
    errors: ["member.notFound"],
  }),
  whois: defineRoute({
    ...read,
    name: "users.whois",
    summary: "The same as users/get.",
    path: `${w}/users/whois/{username}`,
    access: readInWorkspace,
    params: byUsername,
    reply: { json: userSchema },
    errors: ["member.notFound"],
  }),
  usernameToEmail: defineRoute({
    ...read,
    name: "users.usernameToEmail",
    summary: "Get the e-mail address of a username.",
    path: `${w}/users/username_to_email/{username}`,
    access: readInWorkspace,
    params: byUsername,
    reply: { text: "The address." },
    errors: ["member.notFound"],
  }),
  isOwner: defineRoute({
    ...read,
    name: "users.isOwnerOfPath",
    summary: "Check whether you own a path: it is your own path, it is in a folder that you own, or you are an admin of the workspace.",
    path: `${w}/users/is_owner/{path+}`,
    access: { domain: "users", verb: "read", need: "member", target: "none" },
    params: atPath,
    reply: { json: z.boolean() },
    errors: [],
  }),
  updateMember: defineRoute({
    ...post,
    name: "users.update",
    summary: "Change the role of a user in a workspace.",
    path: `${w}/users/update/{username}`,
    access: actions.updateMember.access,
    audits: { kind: "Updated", resource: { param: "username" } },
    params: byUsername,
    body: memberChangeSchema,
    reply: done,
    errors: changeErrors,
  }),
  deleteMember: defineRoute({
    ...post,
    method: "DELETE",
    name: "users.delete",
    summary: "Remove a user and all permissions granted to that user from a workspace.",
    path: `${w}/users/delete/{username}`,
    access: { domain: "users", verb: "write", need: "admin", target: "none" },
    audits: { kind: "Delete", resource: { param: "username" } },
    params: byUsername,
    reply: done,
    errors: changeErrors,
  }),
  addMember: defineRoute({
    ...post,
    name: "workspaces.addUser",
    summary: "Add a user to a workspace.",
    path: `${w}/workspaces/add_user`,
    access: adminWrite,
    operation: "users.add_to_workspace",
    audits: { kind: "Created", resource: { body: "username", otherwise: "email" } },
    params: inWorkspace,
    body: newMemberSchema,
    status: 201,
    reply: done,
    errors: ["workspace.notFound", "member.exists", "user.usernameTaken", "access.changedMeanwhile"],
  }),
  inviteMember: defineRoute({
    ...post,
    name: "workspaces.inviteUser",
    summary: "Invite a user, who joins the workspace by accepting the invitation.",
    path: `${w}/workspaces/invite_user`,
    access: adminWrite,
    audits: { kind: "Created", resource: { body: "username", otherwise: "email" } },
    params: inWorkspace,
    body: newMemberSchema,
    status: 201,
    reply: done,
    errors: ["workspace.notFound", "member.exists"],
  }),
  listInvitesOfWorkspace: defineRoute({
    ...read,
    name: "workspaces.listPendingInvites",
    summary: "List the pending invitations of a workspace.",
    path: `${w}/workspaces/list_pending_invites`,
    access: { domain: "workspaces", verb: "read", need: "admin", target: "none" },
    params: inWorkspace,
    reply: { json: z.array(inviteSchema) },
    errors: [],
  }),
  deleteInvite: defineRoute({
    ...post,
    name: "workspaces.deleteInvite",
    summary: "Withdraw an invitation.",
    path: `${w}/workspaces/delete_invite`,
    access: adminWrite,
    audits: { kind: "Delete", resource: { body: "email" } },
    params: inWorkspace,
    body: z.object({ email: z.string().min(1).max(320), is_admin: z.boolean().optional(), operator: z.boolean().optional() }),
    reply: done,
    errors: [],
  }),
  leave: defineRoute({
    ...post,
    name: "users.leaveWorkspace",
    summary: "Leave a workspace.",
    path: `${w}/workspaces/leave`,
    access: { domain: "users", verb: "write", need: "self", target: "none", inArchive: true, personal: true },
    audits: { kind: "Delete", resource: "none" },
    params: inWorkspace,
    reply: done,
    errors: changeErrors,
  }),
  myWorkspaces: defineRoute({
    ...read,
    name: "workspaces.mine",
    summary: "List your workspaces and your username in each.",
    path: "/api/workspaces/users",
    access: { domain: "workspaces", verb: "read", need: "self", target: "none" },
    reply: { json: userWorkspaces },
    errors: [],
  }),
  listInvites: defineRoute({
    ...read,
    name: "users.listInvites",
    summary: "List your invitations.",
    path: "/api/users/list_invites",
    access: { domain: "users", verb: "read", need: "self", target: "none", personal: true },
    query: z.object(page),
    reply: { json: z.array(inviteSchema) },
    errors: [],
  }),
  acceptInvite: defineRoute({
    ...post,
    name: "users.acceptInvite",
    summary: "Accept an invitation to a workspace.",
    path: "/api/users/accept_invite",
    access: selfWrite,
    audits: { kind: "Created", resource: { body: "username" } },
    body: z.object({ workspace_id: workspaceId, username: username.nullish() }),
    reply: done,
    errors: ["invite.notFound", "member.exists", "user.usernameTaken", "access.changedMeanwhile"],
  }),
  declineInvite: defineRoute({
    ...post,
    name: "users.declineInvite",
    summary: "Decline an invitation.",
    path: "/api/users/decline_invite",
    access: selfWrite,
    audits: { kind: "Delete", resource: "none" },
    body: z.object({ workspace_id: workspaceId }),
    reply: done,
    errors: ["invite.notFound"],
  }),
};
