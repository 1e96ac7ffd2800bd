import * as z from "zod";
import { flag, inWorkspace, page, timestamp, workspaceId } from "../common.ts";
import { defineRoute } from "../route.ts";

const read = { method: "GET", fn: "api", auth: "token", status: 200, errors: [] } as const;

const globalUserSchema = z.object({
  email: z.string(),
  login_type: z.enum(["password", "github", "service_account", "pending_oauth"]),
  super_admin: z.boolean(),
  verified: z.boolean(),
  name: z.string().optional(),
  company: z.string().optional(),
  username: z.string().optional(),
  first_time_user: z.boolean(),
  role_source: z.enum(["manual", "instance_group", "service_account"]),
  disabled: z.boolean(),
});
const userSchema = z.object({
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

export const newTokenSchema = z.object({
  label: z.string().max(200).nullish(),
  expiration: timestamp.nullish(),
  workspace_id: workspaceId.nullish(),
});
export type NewToken = z.output<typeof newTokenSchema>;
export const truncatedTokenSchema = z.object({
  label: z.string().optional(),
  expiration: timestamp.optional(),
  token_prefix: z.string(),
  created_at: timestamp,
  last_used_at: timestamp,
  scopes: z.array(z.string()).optional(),
  email: z.string().optional(),
  workspace_id: z.string().optional(),
  read_only: z.boolean(),
});
export type TruncatedTokenJson = z.output<typeof truncatedTokenSchema>;

export const peopleRoutes = {
  globalWhoami: defineRoute({
    ...read,
    name: "users.whoamiGlobal",
    summary: "Who you are on this instance.",
    path: "/api/users/whoami",
    reply: { json: globalUserSchema },
  }),
  whoami: defineRoute({
    ...read,
    name: "users.whoami",
    summary: "Who you are in a workspace.",
    path: "/api/w/{workspace}/users/whoami",
    params: inWorkspace,
    reply: { json: userSchema },
    errors: ["workspace.notFound"],
  }),
  email: defineRoute({
    ...read,
    name: "users.email",
    summary: "Your e-mail address.",
    path: "/api/users/email",
    reply: { text: "The address." },
  }),
  createToken: defineRoute({
    name: "tokens.create",
    summary: "Make a token. Its value is shown this once.",
    method: "POST",
    path: "/api/users/tokens/create",
    fn: "api",
    auth: "token",
    body: newTokenSchema,
    status: 201,
    reply: { text: "The token." },
    errors: ["token.notForJobs"],
  }),
  listTokens: defineRoute({
    ...read,
    name: "tokens.list",
    summary: "Your tokens, without their values.",
    path: "/api/users/tokens/list",
    query: z.object({ ...page, exclude_ephemeral: flag.optional() }),
    reply: { json: z.array(truncatedTokenSchema) },
  }),
  deleteToken: defineRoute({
    name: "tokens.delete",
    summary: "Delete a token by its first ten characters.",
    method: "DELETE",
    path: "/api/users/tokens/delete/{token_prefix}",
    fn: "api",
    auth: "token",
    params: z.object({ token_prefix: z.string().min(4).max(64) }),
    status: 200,
    reply: { text: "What was deleted." },
    errors: ["token.notFound", "token.ambiguous", "token.notForJobs"],
  }),
};
