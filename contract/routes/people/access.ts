import * as z from "zod";
import { actions } from "../../access/actions.ts";
import { anyPath, extraPerms, folderName, inWorkspace, page, workspaceId } from "../../common.ts";
import { kindsWith } from "../../kinds/kinds.ts";
import { defineRoute } from "../../route.ts";

const w = "/api/w/{workspace}";
const read = { method: "GET", fn: "people", auth: "token", status: 200 } as const;
const post = { method: "POST", fn: "people", auth: "token", status: 200 } as const;
const name = folderName;
const atGroup = z.object({ workspace: workspaceId, name });
const done = { text: "A confirmation." };

export const groupSchema = z.object({
  name: z.string(),
  summary: z.string().optional(),
  members: z.array(z.string()).optional(),
  extra_perms: extraPerms.optional(),
});
export type GroupJson = z.output<typeof groupSchema>;
const groupErrors = ["group.notFound", "group.all", "access.changedMeanwhile"] as const;

const named = kindsWith("isShared").filter((kind) => !kind.endsWith("_trigger"));
/** The kinds of api.md §3.5. */
const kinds = z
  .string()
  .regex(new RegExp(`^(${[...named, "folder", "group_", "raw_app"].join("|")}|[a-z]+_trigger)$`), "a kind of object that has permissions");
const atObject = z.object({ workspace: workspaceId, kind: kinds, path: anyPath });
const grant = z.object({ owner: z.string().max(200), write: z.boolean().nullish() });
const aclErrors = ["access.notFound", "access.owner", "access.changedMeanwhile", "access.tooMuch"] as const;

const readInWorkspace = { domain: "groups", verb: "read", need: "read", target: "none" } as const;
const ownGroup = { domain: "groups", verb: "write", need: "own", target: "group", hiddenAs: "group.notFound" } as const;
const ownObject = actions.grantAccess.access;

const explanationSchema = z.object({
  user: z.string(),
  can: z.object({ read: z.boolean(), write: z.boolean(), run: z.boolean() }),
  reasons: z.array(
    z.object({
      rule: z.string().describe("A sentence."),
      from: z.string().describe("Where the rule is stored: a role, a folder, or the object."),
      grants: z.enum(["owner", "write", "read", "none"]),
    }),
  ),
});
export type AccessExplanationJson = z.input<typeof explanationSchema>;

export const accessRoutes = {
  listGroups: defineRoute({
    ...read,
    name: "groups.list",
    summary: "List the groups of a workspace. Every user is in the group all.",
    path: `${w}/groups/list`,
    access: readInWorkspace,
    params: inWorkspace,
    query: z.object(page),
    reply: { json: z.array(groupSchema) },
    errors: [],
  }),
  listGroupNames: defineRoute({
    ...read,
    name: "groups.listNames",
    summary: "List the names of the groups.",
    path: `${w}/groups/listnames`,
    access: readInWorkspace,
    params: inWorkspace,
    query: z.object({ only_member_of: z.string().optional() }),
    reply: { json: z.array(z.string()) },
    errors: [],
  }),
  getGroup: defineRoute({
    ...read,
    name: "groups.get",
    summary: "Get a group with its members.",
    path: `${w}/groups/get/{name}`,
    version: "shown",
    access: { domain: "groups", verb: "read", need: "read", target: "group", hiddenAs: "group.notFound" },
    params: atGroup,
    reply: { json: groupSchema },
    errors: ["group.notFound"],
  }),
  createGroup: defineRoute({
    ...post,
    name: "groups.create",
    summary: "Create a group. You become its first member and its admin.",
    path: `${w}/groups/create`,
    access: { domain: "groups", verb: "write", need: "write", target: "none" },
    audits: { kind: "Created", resource: { body: "name" } },
    params: inWorkspace,
    body: z.object({ name, summary: z.string().max(1000).nullish() }),
    status: 201,
    reply: done,
    errors: ["group.exists", "group.former", "access.changedMeanwhile", "access.tooMuch"],
  }),
  updateGroup: defineRoute({
    ...post,
    name: "groups.update",
    summary: "Change a group's summary.",
    path: `${w}/groups/update/{name}`,
    version: "expected",
    access: ownGroup,
    operation: "group.edit",
    audits: { kind: "Updated", resource: { param: "name" } },
    params: atGroup,
    body: z.object({ summary: z.string().max(1000).nullish() }),
    reply: done,
    errors: [...groupErrors, "access.tooMuch"],
  }),
  deleteGroup: defineRoute({
    ...post,
    method: "DELETE",
    name: "groups.delete",
    summary: "Delete a group and all its permissions.",
    path: `${w}/groups/delete/{name}`,
    access: ownGroup,
    audits: { kind: "Delete", resource: { param: "name" } },
    params: atGroup,
    reply: done,
    errors: groupErrors,
  }),
  addToGroup: defineRoute({
    ...post,
    name: "groups.addUser",
    summary: "Add a user to a group.",
    path: `${w}/groups/adduser/{name}`,
    access: ownGroup,
    operation: "group.adduser",
    audits: { kind: "Created", resource: { param: "name" } },
    params: atGroup,
    body: z.object({ username: z.string().min(1).max(100) }),
    reply: done,
    errors: [...groupErrors, "member.notFound", "access.tooMuch"],
  }),
  removeFromGroup: defineRoute({
    ...post,
    name: "groups.removeUser",
    summary: "Remove a user from a group.",
    path: `${w}/groups/removeuser/{name}`,
    access: ownGroup,
    operation: "group.removeuser",
    audits: { kind: "Delete", resource: { param: "name" } },
    params: atGroup,
    body: z.object({ username: z.string().min(1).max(100) }),
    reply: done,
    errors: groupErrors,
  }),
  getAcl: defineRoute({
    ...read,
    name: "acls.get",
    summary: "Get the extra permissions of an object: true means write access, false means read access.",
    path: `${w}/acls/get/{kind}/{path+}`,
    access: { domain: "acls", verb: "read", need: "read", target: "object", hiddenAs: "access.notFound" },
    params: atObject,
    reply: { json: extraPerms },
    errors: ["access.notFound"],
  }),
  explainAcl: defineRoute({
    ...read,
    name: "acls.explain",
    summary:
      "Explain what a user may do with an object: every rule that grants or refuses it. Admins and the owners of the object may name another user. " +
      "The reply is the same whether or not the object exists.",
    path: `${w}/acls/explain/{kind}/{path+}`,
    access: { domain: "acls", verb: "read", need: "member", target: "none" },
    params: atObject,
    query: z.object({ user: z.string().min(1).max(100).optional().describe("A username. Default: yours.") }),
    reply: { json: explanationSchema },
    errors: ["member.notFound", "access.notFound"],
  }),
  addAcl: defineRoute({
    ...post,
    name: "acls.add",
    summary: "Grant a user or group read or write access to an object.",
    path: `${w}/acls/add/{kind}/{path+}`,
    access: ownObject,
    audits: { kind: "Created", resource: { param: "path" } },
    params: atObject,
    body: grant,
    reply: done,
    errors: aclErrors,
  }),
  removeAcl: defineRoute({
    ...post,
    name: "acls.remove",
    summary: "Revoke an extra permission.",
    path: `${w}/acls/remove/{kind}/{path+}`,
    access: ownObject,
    audits: { kind: "Delete", resource: { param: "path" } },
    params: atObject,
    body: grant,
    reply: done,
    errors: aclErrors,
  }),
};
