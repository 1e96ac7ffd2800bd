import * as z from "zod";
import { anyPath, extraPerms, folderName, inWorkspace, page, workspaceId } from "../../common.ts";
import { defineRoute } from "../../route.ts";

const w = "/api/w/{workspace}";
const read = { method: "GET", fn: "api", auth: "token", status: 200 } as const;
const post = { method: "POST", fn: "api", auth: "token", status: 200 } as const;
const name = folderName;
const atGroup = z.object({ workspace: workspaceId, name });
const done = { text: "What was done." };

export const groupSchema = z.object({
  name: z.string(),
  summary: z.string().optional(),
  members: z.array(z.string()).optional(),
  extra_perms: extraPerms.optional(),
});
export type GroupJson = z.output<typeof groupSchema>;
const groupErrors = ["group.notFound", "group.all", "access.changedMeanwhile"] as const;

/** The kinds of api.md §3.5. */
const kinds = z
  .string()
  .regex(/^(script|group_|resource|schedule|variable|flow|folder|app|raw_app|[a-z]+_trigger)$/, "a kind of object that has permissions");
const atObject = z.object({ workspace: workspaceId, kind: kinds, path: anyPath });
const grant = z.object({ owner: z.string().max(200), write: z.boolean().nullish() });
const aclErrors = ["access.notFound", "access.owner", "access.changedMeanwhile", "access.tooMuch"] as const;

export const accessRoutes = {
  listGroups: defineRoute({
    ...read,
    name: "groups.list",
    summary: "The groups of a workspace. Everybody is in the group all.",
    path: `${w}/groups/list`,
    params: inWorkspace,
    query: z.object(page),
    reply: { json: z.array(groupSchema) },
    errors: [],
  }),
  listGroupNames: defineRoute({
    ...read,
    name: "groups.listNames",
    summary: "The names of the groups.",
    path: `${w}/groups/listnames`,
    params: inWorkspace,
    query: z.object({ only_member_of: z.string().optional() }),
    reply: { json: z.array(z.string()) },
    errors: [],
  }),
  getGroup: defineRoute({
    ...read,
    name: "groups.get",
    summary: "One group with its members.",
    path: `${w}/groups/get/{name}`,
    params: atGroup,
    reply: { json: groupSchema },
    errors: ["group.notFound"],
  }),
  createGroup: defineRoute({
    ...post,
    name: "groups.create",
    summary: "Make a group; you are its first member and its admin.",
    path: `${w}/groups/create`,
    params: inWorkspace,
    body: z.object({ name, summary: z.string().max(1000).nullish() }),
    status: 201,
    reply: done,
    errors: ["group.exists", "access.changedMeanwhile", "access.tooMuch"],
  }),
  updateGroup: defineRoute({
    ...post,
    name: "groups.update",
    summary: "Change a group's summary.",
    path: `${w}/groups/update/{name}`,
    params: atGroup,
    body: z.object({ summary: z.string().max(1000).nullish() }),
    reply: done,
    errors: groupErrors,
  }),
  deleteGroup: defineRoute({
    ...post,
    method: "DELETE",
    name: "groups.delete",
    summary: "Delete a group, with every right that it has.",
    path: `${w}/groups/delete/{name}`,
    params: atGroup,
    reply: done,
    errors: groupErrors,
  }),
  addToGroup: defineRoute({
    ...post,
    name: "groups.addUser",
    summary: "Put a user into a group.",
    path: `${w}/groups/adduser/{name}`,
    params: atGroup,
    body: z.object({ username: z.string().min(1).max(100) }),
    reply: done,
    errors: [...groupErrors, "member.notFound"],
  }),
  removeFromGroup: defineRoute({
    ...post,
    name: "groups.removeUser",
    summary: "Take a user out of a group.",
    path: `${w}/groups/removeuser/{name}`,
    params: atGroup,
    body: z.object({ username: z.string().min(1).max(100) }),
    reply: done,
    errors: groupErrors,
  }),
  getAcl: defineRoute({
    ...read,
    name: "acls.get",
    summary: "An object's extra permissions: true is writing, false reading.",
    path: `${w}/acls/get/{kind}/{path+}`,
    params: atObject,
    reply: { json: extraPerms },
    errors: ["access.notFound"],
  }),
  addAcl: defineRoute({
    ...post,
    name: "acls.add",
    summary: "Let a user or group read an object, or write it.",
    path: `${w}/acls/add/{kind}/{path+}`,
    params: atObject,
    body: grant,
    reply: done,
    errors: aclErrors,
  }),
  removeAcl: defineRoute({
    ...post,
    name: "acls.remove",
    summary: "Take an extra permission back.",
    path: `${w}/acls/remove/{kind}/{path+}`,
    params: atObject,
    body: grant,
    reply: done,
    errors: aclErrors,
  }),
};
