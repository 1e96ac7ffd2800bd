import type { ZodError } from "zod";
import type { Issues } from "./answer.ts";

/** The maximum number of issues in a sentence. */
const MAX_ISSUES = 100;

/** An id that a sentence may repeat. Any other text in its position comes from the caller and may have any length. */
const MODULE_ID = /^[\w-]{1,80}$/;

/**
 * Returns the issues of a failed zod parse as `path: reason`, one for each place, for the sentence of a 400 or 422. With `input`, the
 * parsed value, a place inside a flow also contains the id of its module.
 */
export function toIssues(error: ZodError, input?: unknown): Issues {
  const issues = error.issues.slice(0, MAX_ISSUES).map(({ path, message }) => {
    const module = moduleAt(input, path);
    const field = path.map(String).join(".");
    return module === undefined ? { path: field, reason: message } : { path: `${field} (module ${module})`, reason: message, step: module };
  });
  const more = error.issues.length - issues.length;
  return more > 0 ? [...issues, { path: "…", reason: `${more} more places` }] : issues;
}

/** Returns the id of the innermost flow module on the path. */
function moduleAt(input: unknown, path: readonly PropertyKey[]): string | undefined {
  let found: string | undefined;
  let value = input;
  for (const part of ["", ...path]) {
    if (part !== "") value = (value as Record<PropertyKey, unknown>)[part];
    if (typeof value !== "object" || value === null) break;
    const { id, value: inner } = value as { id?: unknown; value?: unknown };
    if (typeof id === "string" && MODULE_ID.test(id) && typeof inner === "object") found = id;
  }
  return found;
}
