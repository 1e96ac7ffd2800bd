import * as z from "zod";
import { flag, page, timestamp, username } from "../../common.ts";
import { defineRoute } from "../../route.ts";

const read = { method: "GET", fn: "people", auth: "token", status: 200, errors: [] } as const;
const post = { method: "POST", fn: "people", auth: "token", status: 200 } as const;

const globalUserSchema = z.object({
  email: z.string(),
  login_type: z.enum(["password", "github", "service_account", "pending_oauth"]),
  super_admin: z.boolean(),
  verified: z.boolean(),
  name: z.string().optional(),
  company: z.string().optional(),
  username: z.string().optional(),
  operator_only: z.boolean().optional(),
  first_time_user: z.boolean(),
  role_source: z.enum(["manual", "instance_group", "service_account"]),
  disabled: z.boolean(),
});
export type GlobalUserJson = z.output<typeof globalUserSchema>;
export const newUserSchema = z.object({
  email: z.email().max(320),
  password: z.string().max(1000).nullish(),
  super_admin: z.boolean(),
  name: z.string().max(200).nullish(),
  company: z.string().max(200).nullish(),
  skip_email: z.boolean().nullish(),
});
export type NewUser = z.output<typeof newUserSchema>;
export const userChangeSchema = z.object({
  is_super_admin: z.boolean().nullish(),
  is_devops: z.boolean().nullish(),
  name: z.string().max(200).nullish(),
  disabled: z.boolean().nullish(),
});
export type UserChange = z.output<typeof userChangeSchema>;
export const exportedUserSchema = z.object({
  email: z.email().max(320),
  super_admin: z.boolean(),
  username: username.optional(),
  name: z.string().max(200).optional(),
  company: z.string().max(200).optional(),
  disabled: z.boolean().optional(),
  verified: z.boolean().optional(),
  first_time_user: z.boolean().optional(),
});
export type ExportedUser = z.output<typeof exportedUserSchema>;
const MOST = 10_000;
const byEmail = z.object({ email: z.string().min(1).max(320) });

const groupName = z.string().regex(/^[A-Za-z0-9_-]{1,100}$/, "letters, digits, '-' and '_' only");
const instanceRole = z.enum(["superadmin", "devops", "user"]);
export type InstanceRole = z.output<typeof instanceRole>;
export const instanceGroupSchema = z.object({
  name: groupName,
  summary: z.string().optional(),
  emails: z.array(z.string()).optional(),
  /** `superadmin`: the members are superadmins, once they sign in again. The other roles have no effect. */
  instance_role: instanceRole.optional(),
});
export type InstanceGroupJson = z.output<typeof instanceGroupSchema>;
const byName = z.object({ name: groupName });
const groupErrors = ["group.notFound", "user.notFound", "access.changedMeanwhile"] as const;
const done = { text: "A confirmation." };

const selfReadUsers = { domain: "users", verb: "read", need: "self", target: "none" } as const;
const superadminRead = { domain: "users", verb: "read", need: "superadmin", target: "none" } as const;
const superadminWriteUsers = { domain: "users", verb: "write", need: "superadmin", target: "none" } as const;
const superadminWriteInstanceGroups = { domain: "instanceGroups", verb: "write", need: "superadmin", target: "none" } as const;
const selfReadInstanceGroups = { domain: "instanceGroups", verb: "read", need: "self", target: "none", personal: true } as const;

export const peopleRoutes = {
  globalWhoami: defineRoute({
    ...read,
    name: "users.whoamiGlobal",
    summary: "Get your user on this instance.",
    path: "/api/users/whoami",
    access: selfReadUsers,
    reply: { json: globalUserSchema },
  }),
  email: defineRoute({
    ...read,
    name: "users.email",
    summary: "Get your e-mail address.",
    path: "/api/users/email",
    access: selfReadUsers,
    reply: { text: "The address." },
  }),
  listUsers: defineRoute({
    ...read,
    name: "users.listGlobal",
    summary: "List the users of the instance.",
    path: "/api/users/list_as_super_admin",
    access: superadminRead,
    query: z.object({ ...page, active_only: flag.optional() }),
    reply: { json: z.array(globalUserSchema) },
  }),
  createUser: defineRoute({
    ...post,
    name: "users.createGlobal",
    summary: "Create a user of the instance.",
    path: "/api/users/create",
    access: superadminWriteUsers,
    operation: "users.add_global",
    audits: { kind: "Created", resource: { body: "name", otherwise: "email" } },
    body: newUserSchema,
    status: 201,
    reply: done,
    errors: ["user.exists", "user.invalidPassword", "login.noPasswords", "engine.busy"],
  }),
  updateUser: defineRoute({
    ...post,
    name: "users.updateGlobal",
    summary: "Change a user of the instance. The tokens of a disabled user are rejected.",
    path: "/api/users/update/{email}",
    access: superadminWriteUsers,
    operation: "users.update",
    audits: { kind: "Updated", resource: { param: "email" } },
    params: byEmail,
    body: userChangeSchema,
    reply: done,
    errors: ["user.notFound", "user.lastAdmin", "access.changedMeanwhile"],
  }),
  deleteUser: defineRoute({
    ...post,
    method: "DELETE",
    name: "users.deleteGlobal",
    summary: "Delete a user with all tokens and memberships.",
    path: "/api/users/delete/{email}",
    access: superadminWriteUsers,
    operation: "users.delete",
    audits: { kind: "Delete", resource: { param: "email" }, inSteps: true },
    params: byEmail,
    reply: done,
    errors: ["user.notFound", "user.lastAdmin", "access.changedMeanwhile"],
  }),
  existsUser: defineRoute({
    ...read,
    name: "users.existsGlobal",
    summary: "Check whether there is a user with this e-mail address.",
    path: "/api/users/exists/{email}",
    access: superadminRead,
    params: byEmail,
    reply: { json: z.boolean() },
  }),
  exportUsers: defineRoute({
    ...read,
    name: "users.exportGlobal",
    summary: "Export the users of the instance for users/overwrite. Passwords are not exported.",
    path: "/api/users/export",
    access: superadminRead,
    reply: { json: z.array(exportedUserSchema) },
  }),
  overwriteUsers: defineRoute({
    ...post,
    name: "users.overwriteGlobal",
    summary: "Replace the users of the instance with a list. Users who are not in the list are deleted.",
    path: "/api/users/overwrite",
    access: superadminWriteUsers,
    audits: { kind: "Updated", resource: "none", inSteps: true },
    body: z.array(exportedUserSchema).max(MOST),
    reply: done,
    errors: ["member.notFound", "user.lastAdmin", "access.changedMeanwhile"],
  }),
  exportInstanceGroups: defineRoute({
    ...read,
    name: "instanceGroups.export",
    summary: "Export the groups of the instance with their members for groups/overwrite.",
    path: "/api/groups/export",
    access: { domain: "instanceGroups", verb: "read", need: "superadmin", target: "none" },
    reply: { json: z.array(instanceGroupSchema) },
  }),
  overwriteInstanceGroups: defineRoute({
    ...post,
    name: "instanceGroups.overwrite",
    summary: "Replace the groups of the instance and their members with a list.",
    path: "/api/groups/overwrite",
    access: superadminWriteInstanceGroups,
    operation: "igroup.overwrite",
    audits: { kind: "Updated", resource: "none", inSteps: true },
    body: z.array(instanceGroupSchema).max(MOST),
    reply: done,
    errors: groupErrors,
  }),
  listInstanceGroups: defineRoute({
    ...read,
    name: "instanceGroups.list",
    summary: "List the groups of the instance.",
    path: "/api/groups/list",
    access: selfReadInstanceGroups,
    reply: { json: z.array(instanceGroupSchema) },
  }),
  getInstanceGroup: defineRoute({
    ...read,
    name: "instanceGroups.get",
    summary: "Get a group of the instance.",
    path: "/api/groups/get/{name}",
    access: selfReadInstanceGroups,
    params: byName,
    reply: { json: instanceGroupSchema },
    errors: ["group.notFound"],
  }),
  createInstanceGroup: defineRoute({
    ...post,
    name: "instanceGroups.create",
    summary: "Create a group of the instance, which can be granted permissions in every workspace.",
    path: "/api/groups/create",
    access: superadminWriteInstanceGroups,
    operation: "igroup.create",
    audits: { kind: "Created", resource: { body: "name" } },
    body: instanceGroupSchema.pick({ name: true, summary: true, instance_role: true }),
    status: 201,
    reply: done,
    errors: ["group.exists", "group.notFound", "access.changedMeanwhile"],
  }),
  updateInstanceGroup: defineRoute({
    ...post,
    name: "instanceGroups.update",
    summary: "Change the summary and the role of a group.",
    path: "/api/groups/update/{name}",
    access: superadminWriteInstanceGroups,
    operation: "igroup.edit",
    audits: { kind: "Updated", resource: { param: "name" } },
    params: byName,
    body: z.object({ summary: z.string().max(1000).optional(), instance_role: instanceRole.optional() }),
    reply: done,
    errors: groupErrors,
  }),
  deleteInstanceGroup: defineRoute({
    ...post,
    method: "DELETE",
    name: "instanceGroups.delete",
    summary: "Delete a group of the instance.",
    path: "/api/groups/delete/{name}",
    access: superadminWriteInstanceGroups,
    operation: "igroup.delete",
    audits: { kind: "Delete", resource: { param: "name" }, inSteps: true },
    params: byName,
    reply: done,
    errors: groupErrors,
  }),
  addToInstanceGroup: defineRoute({
    ...post,
    name: "instanceGroups.addUser",
    summary: "Add a user to a group of the instance.",
    path: "/api/groups/adduser/{name}",
    access: superadminWriteInstanceGroups,
    operation: "igroup.adduser",
    audits: { kind: "Created", resource: { param: "name" } },
    params: byName,
    body: byEmail,
    reply: done,
    errors: groupErrors,
  }),
  removeFromInstanceGroup: defineRoute({
    ...post,
    name: "instanceGroups.removeUser",
    summary: "Remove a user from a group of the instance.",
    path: "/api/groups/removeuser/{name}",
    access: superadminWriteInstanceGroups,
    operation: "igroup.removeuser",
    audits: { kind: "Delete", resource: { param: "name" } },
    params: byName,
    body: byEmail,
    reply: done,
    errors: groupErrors,
  }),
};

export const userSchema = z.object({
  email: z.string(),
  username: z.string(),
  is_admin: z.boolean(),
  name: z.string().optional(),
  is_super_admin: z.boolean(),
  created_at: timestamp,
  operator: z.boolean(),
  disabled: z.boolean(),
  groups: z.array(z.string()).optional(),
  folders: z.array(z.string()),
  folders_read: z.array(z.string()),
  folders_owners: z.array(z.string()),
});
export type UserJson = z.output<typeof userSchema>;
