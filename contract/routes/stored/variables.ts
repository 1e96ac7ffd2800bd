import * as z from "zod";
import { actions } from "../../access/actions.ts";
import { atPath, extraPerms, flag, inWorkspace, page, runnablePath, timestamp } from "../../common.ts";
import { defineRoute } from "../../route.ts";

const w = "/api/w/{workspace}/variables";
const read = { method: "GET", fn: "objects", auth: "token", status: 200 } as const;
const post = { method: "POST", fn: "objects", auth: "token", status: 200 } as const;

const optional = {
  account: z.number().int().nullish(),
  is_oauth: z.boolean().nullish(),
  expires_at: timestamp.nullish(),
  labels: z.array(z.string().max(100)).max(50).nullish(),
  ws_specific: z.boolean().nullish(),
};
export const newVariableSchema = z.object({
  path: runnablePath,
  value: z.string(),
  is_secret: z.boolean(),
  description: z.string().max(20_000).default(""),
  ...optional,
});
export type NewVariable = z.output<typeof newVariableSchema>;
/** Omitted fields remain unchanged. */
export const variableChangeSchema = newVariableSchema
  .omit({ description: true })
  .partial()
  .extend({ description: z.string().max(20_000).optional() });
export type VariableChange = z.output<typeof variableChangeSchema>;

export const variableSchema = z.object({
  workspace_id: z.string(),
  path: z.string(),
  value: z.string().optional(),
  is_secret: z.boolean(),
  description: z.string().optional(),
  account: z.number().optional(),
  is_oauth: z.boolean().optional(),
  extra_perms: extraPerms,
  is_expired: z.boolean().optional(),
  refresh_error: z.string().optional(),
  is_linked: z.boolean().optional(),
  is_refreshed: z.boolean().optional(),
  expires_at: timestamp.optional(),
  labels: z.array(z.string()).optional(),
  ws_specific: z.boolean().optional(),
  edited_at: timestamp.optional(),
  edited_by: z.string().optional(),
});
export type VariableJson = z.output<typeof variableSchema>;

export const variableListQuery = z.object({
  ...page,
  path_start: z.string().optional(),
  path: z.string().optional(),
  description: z.string().optional(),
  value: z.string().optional(),
  broad_filter: z.string().optional(),
  label: z.string().optional(),
});
export type VariableListQuery = z.output<typeof variableListQuery>;

const saveErrors = [
  "variable.changedMeanwhile",
  "variable.notCiphertext",
  "path.noFolder",
  "workspace.notFound",
  "access.tooMuch",
] as const;
const encrypted = z.object({ already_encrypted: flag.optional() });

const listAll = { domain: "variables", verb: "read", need: "read", target: "list" } as const;

export const variableRoutes = {
  listVariables: defineRoute({
    ...read,
    name: "variables.list",
    summary: "List the variables of the workspace. The values of secrets are omitted.",
    path: `${w}/list`,
    access: listAll,
    params: inWorkspace,
    query: variableListQuery,
    reply: { json: z.array(variableSchema) },
    errors: [],
  }),
  getVariable: defineRoute({
    ...read,
    name: "variables.get",
    summary:
      "Get a variable. With decrypt_secret=false&include_encrypted=true, the value of a secret is its ciphertext under the workspace's key.",
    path: `${w}/get/{path+}`,
    version: "shown",
    access: { domain: "variables", verb: "read", need: "read", target: "path", hiddenAs: "variable.notFound" },
    reveals: "variable",
    operation: "variables.decrypt_secret",
    params: atPath,
    query: z.object({ decrypt_secret: flag.optional(), include_encrypted: flag.optional() }),
    reply: { json: variableSchema },
    errors: ["variable.notFound"],
  }),
  getVariableValue: defineRoute({
    ...read,
    name: "variables.getValue",
    summary: "A variable's value.",
    path: `${w}/get_value/{path+}`,
    access: actions.readVariable.access,
    reveals: "variable",
    operation: "variables.decrypt_secret",
    params: atPath,
    query: z.object({ allow_cache: flag.optional() }),
    reply: { json: z.string() },
    errors: ["variable.notFound"],
  }),
  existsVariable: defineRoute({
    ...read,
    name: "variables.exists",
    summary: "Check whether there is a variable at this path.",
    path: `${w}/exists/{path+}`,
    access: { domain: "variables", verb: "read", need: "read", target: "path", hiddenAs: false },
    params: atPath,
    reply: { json: z.boolean() },
    errors: [],
  }),
  createVariable: defineRoute({
    ...post,
    name: "variables.create",
    summary: "Save a new variable. With already_encrypted=true, its value is a ciphertext under the workspace's key.",
    path: `${w}/create`,
    access: { domain: "variables", verb: "write", need: "write", target: "request" },
    audits: { kind: "Created", resource: { body: "path" } },
    params: inWorkspace,
    query: encrypted,
    body: newVariableSchema,
    status: 201,
    reply: { text: "A confirmation." },
    errors: [...saveErrors, "variable.exists"],
  }),
  updateVariable: defineRoute({
    ...post,
    name: "variables.update",
    summary: "Change a variable. Omitted fields remain unchanged. Another path renames it.",
    path: `${w}/update/{path+}`,
    version: "expected",
    access: actions.saveVariable.access,
    audits: { kind: "Updated", resource: { param: "path" } },
    reveals: "variable",
    params: atPath,
    query: encrypted,
    body: variableChangeSchema,
    reply: { text: "A confirmation." },
    errors: [...saveErrors, "variable.notFound", "variable.exists"],
  }),
  deleteVariable: defineRoute({
    ...post,
    method: "DELETE",
    name: "variables.delete",
    summary: "Delete a variable.",
    path: `${w}/delete/{path+}`,
    version: "expected",
    access: { domain: "variables", verb: "write", need: "write", target: "path", hiddenAs: "variable.notFound" },
    audits: { kind: "Delete", resource: { param: "path" } },
    params: atPath,
    reply: { text: "A confirmation." },
    errors: ["variable.notFound"],
  }),
  encryptValue: defineRoute({
    ...post,
    name: "variables.encrypt",
    summary: "Encrypt a value with the workspace's key, for use with already_encrypted.",
    path: `${w}/encrypt`,
    access: { domain: "variables", verb: "write", need: "write", target: "none" },
    audits: { kind: "Updated", resource: "none" },
    params: inWorkspace,
    body: z.string(),
    reply: { text: "The ciphertext: standard base64 of a multiple of 16 bytes." },
    errors: ["workspace.notFound"],
  }),
  listContextual: defineRoute({
    ...read,
    name: "variables.listContextual",
    summary: "List the environment variables that every job has.",
    path: `${w}/list_contextual`,
    access: listAll,
    params: inWorkspace,
    reply: { json: z.array(z.object({ name: z.string(), value: z.string(), description: z.string(), is_custom: z.boolean() })) },
    errors: [],
  }),
};
