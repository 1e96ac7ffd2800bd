import { createHash } from "node:crypto";
import * as z from "zod";
import { defined, mapDefined } from "../../contract/defined.ts";
import type { VariableJson, VariableListQuery } from "../../contract/routes/stored/variables.ts";
import { defineObject, inWorkspace, sortByPath } from "../objects/define-object.ts";

/** A stored variable. The value of a secret is sealed. */
export const storedVariableSchema = z.object({
  path: z.string(),
  isSecret: z.boolean(),
  value: z.string(),
  /** For a secret: the nonce of its exported form. */
  exportNonce: z.string().optional(),
  description: z.string(),
  account: z.number().optional(),
  isOauth: z.boolean().optional(),
  /** An account of another service refreshes the value. */
  refreshed: z.boolean().optional(),
  /** The reason for which the last refreshes failed. */
  refreshError: z.string().optional(),
  expiresAt: z.string().optional(),
  labels: z.array(z.string()).optional(),
  wsSpecific: z.boolean().optional(),
  editedAtMs: z.number(),
  editedBy: z.string(),
});
export type StoredVariable = z.infer<typeof storedVariableSchema>;

/**
 * Returns the nonce of a secret's exported form: always the same one for the same stored value, so that a synchronisation finds no difference.
 * Earlier releases stored none; the sealed value has a random nonce, so no two values share the result.
 */
export const getExportNonce = ({ exportNonce, value }: Pick<StoredVariable, "exportNonce" | "value">): string =>
  exportNonce ?? createHash("sha256").update(value).digest().subarray(0, 12).toString("base64");

/** Returns the `Variable` of api.md §3.4. `value` is the value that the caller may see, or absent. */
export function toVariableJson(
  workspace: string,
  variable: StoredVariable,
  value: string | undefined,
  { nowMs, linked }: { nowMs: number; linked?: boolean },
): VariableJson {
  const { path, isSecret, description, account, isOauth, labels, wsSpecific, editedAtMs, editedBy } = variable;
  return {
    workspace_id: workspace,
    path,
    ...defined({ value }),
    is_secret: isSecret,
    description,
    extra_perms: {},
    ...defined({ account }),
    is_oauth: isOauth ?? false,
    ...defined({ expires_at: variable.expiresAt }),
    ...toRefreshJson(variable, nowMs),
    ...defined({ is_linked: linked, labels, ws_specific: wsSpecific }),
    edited_at: new Date(editedAtMs).toISOString(),
    edited_by: editedBy,
  };
}

/**
 * Returns the fields of variables and resources about the token in a variable: whether it is refreshed, whether it has expired, and the reason
 * for which it is not refreshed.
 */
export function toRefreshJson({ expiresAt, refreshed, refreshError }: StoredVariable, nowMs: number) {
  return {
    is_refreshed: refreshed ?? false,
    ...defined({ is_expired: mapDefined(expiresAt, (time) => Date.parse(time) <= nowMs), refresh_error: refreshError }),
  };
}

const holds = (text: string | undefined, part: string) => (text ?? "").toLowerCase().includes(part.toLowerCase());

/**
 * Returns whether a variable matches the filters of `variables/list`. The value of a secret is never compared, because a filter would
 * reveal it letter by letter.
 */
export function matchesVariable(variable: StoredVariable, query: VariableListQuery): boolean {
  const { path, description, labels = [], isSecret } = variable;
  const value = isSecret ? undefined : variable.value;
  const { broad_filter: broad } = query;
  return (
    (query.path_start === undefined || path.startsWith(query.path_start)) &&
    (query.path === undefined || path === query.path) &&
    (query.description === undefined || holds(description, query.description)) &&
    (query.value === undefined || (value !== undefined && holds(value, query.value))) &&
    (query.label === undefined || labels.includes(query.label)) &&
    (broad === undefined || holds(path, broad) || holds(description, broad) || (value !== undefined && holds(value, broad)))
  );
}

export const variableObject = defineObject({
  name: "variable",
  partition: "VAR",
  ...inWorkspace,
  sort: sortByPath,
  schema: storedVariableSchema,
});
