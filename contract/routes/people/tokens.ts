import * as z from "zod";
import { flag, page, timestamp, workspaceId } from "../../common.ts";
import { defineRoute } from "../../route.ts";

const read = { method: "GET", fn: "people", auth: "token", status: 200, errors: [] } as const;
const post = { method: "POST", fn: "people", auth: "token", status: 200 } as const;

const scopeList = z.array(z.string().max(300)).min(1).max(100);
const scopes = scopeList.nullish();
export const newTokenSchema = z.object({
  label: z.string().max(200).nullish(),
  expiration: timestamp.nullish(),
  workspace_id: workspaceId.nullish(),
  /** Absent: the token has all your permissions. */
  scopes,
  read_only: z.boolean().nullish(),
});
export type NewToken = z.output<typeof newTokenSchema>;
/** `critical`: the token expires within 7 days; `soon`: within 30 days. `expired`: it no longer works and is about to be deleted. */
const badge = z.enum(["expired", "critical", "soon", "none"]);
export type TokenBadge = z.output<typeof badge>;
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
  badge,
});
export type TruncatedTokenJson = z.output<typeof truncatedTokenSchema>;

const byPrefix = z.object({ token_prefix: z.string().min(4).max(100) });
const changeErrors = ["token.notFound", "token.ambiguous", "token.notForJobs", "token.tooWide", "token.changedMeanwhile"] as const;

const selfWrite = { domain: "tokens", verb: "write", need: "self", target: "none", personal: true } as const;
const selfRead = { domain: "tokens", verb: "read", need: "self", target: "none", personal: true } as const;

export const tokenRoutes = {
  createToken: defineRoute({
    ...post,
    name: "tokens.create",
    summary: "Create a token. Its value is returned only once.",
    path: "/api/users/tokens/create",
    access: selfWrite,
    operation: "users.token.create",
    audits: { kind: "Created", resource: { reply: "token" } },
    body: newTokenSchema,
    status: 201,
    reply: { text: "The token." },
    errors: ["token.notForJobs", "token.unknownScope", "token.tooWide"],
  }),
  listTokens: defineRoute({
    ...read,
    name: "tokens.list",
    summary: "List your tokens without their values.",
    path: "/api/users/tokens/list",
    access: selfRead,
    query: z.object({ ...page, exclude_ephemeral: flag.optional() }),
    reply: { json: z.array(truncatedTokenSchema) },
  }),
  deleteToken: defineRoute({
    ...post,
    method: "DELETE",
    name: "tokens.delete",
    summary: "Delete a token, identified by its first ten characters.",
    path: "/api/users/tokens/delete/{token_prefix}",
    access: selfWrite,
    operation: "users.token.delete",
    audits: { kind: "Delete", resource: { tokenPrefix: "token_prefix" } },
    hiddenInLogs: ["token_prefix"],
    params: byPrefix,
    reply: { text: "A confirmation." },
    errors: ["token.notFound", "token.ambiguous", "token.notForJobs", "token.tooWide"],
  }),
  updateTokenScopes: defineRoute({
    ...post,
    name: "tokens.updateScopes",
    summary: "Replace the scopes of a token. With null, the token has all your permissions.",
    path: "/api/users/tokens/update_scopes/{token_prefix}",
    access: selfWrite,
    operation: "users.token.update_scopes",
    audits: { kind: "Updated", resource: { tokenPrefix: "token_prefix" } },
    hiddenInLogs: ["token_prefix"],
    params: byPrefix,
    // An omitted field does not widen a token.
    body: z.object({ scopes: scopeList.nullable() }),
    reply: { text: "A confirmation." },
    errors: [...changeErrors, "token.unknownScope"],
  }),
  updateTokenLabel: defineRoute({
    ...post,
    name: "tokens.updateLabel",
    summary: "Change the label of a token.",
    path: "/api/users/tokens/update_label/{token_prefix}",
    access: selfWrite,
    operation: "users.token.update_label",
    audits: { kind: "Updated", resource: { tokenPrefix: "token_prefix" } },
    hiddenInLogs: ["token_prefix"],
    params: byPrefix,
    body: z.object({ label: z.string().max(200).nullish() }),
    reply: { text: "A confirmation." },
    errors: changeErrors,
  }),
  impersonate: defineRoute({
    ...post,
    name: "tokens.impersonate",
    summary: "Create a token for another user, as a superadmin.",
    path: "/api/users/tokens/impersonate",
    access: { domain: "tokens", verb: "write", need: "superadmin", target: "none" },
    operation: "users.impersonate",
    audits: { kind: "Created", resource: { reply: "token" } },
    body: z.object({
      impersonate_email: z.string().min(1).max(320),
      label: z.string().max(200).nullish(),
      expiration: timestamp.nullish(),
      workspace_id: workspaceId.nullish(),
    }),
    status: 201,
    reply: { text: "The token." },
    errors: ["user.notFound", "token.notForJobs", "token.tooWide"],
  }),
  listScopes: defineRoute({
    ...read,
    name: "tokens.listScopes",
    summary: "List the scopes that a token can have.",
    path: "/api/tokens/list/scopes",
    access: selfRead,
    reply: {
      json: z.array(
        z.object({
          name: z.string(),
          description: z.string().optional(),
          scopes: z.array(
            z.object({
              value: z.string(),
              label: z.string(),
              description: z.string().optional(),
              requires_resource_path: z.boolean(),
            }),
          ),
        }),
      ),
    },
  }),
};
