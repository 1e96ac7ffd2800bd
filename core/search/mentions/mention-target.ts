import { parseHandlerPath } from "../../outcome-handlers/handler.ts";
import { findReferences } from "../../resources/references.ts";

/** An object whose mentions are searched. */
export interface MentionTarget {
  kind: "script" | "flow" | "resource" | "variable";
  path: string;
  /** A script is at the path of this flow: a handler without a kind means the script. */
  hasScript?: boolean;
}

/** Returns whether a value contains a reference such as `$res:f/ops/db` to the target, at any depth. */
export function refersTo(target: MentionTarget, value: unknown): boolean {
  if (target.kind !== "resource" && target.kind !== "variable") return false;
  return findReferences(value).includes(target.kind === "resource" ? `$res:${target.path}` : `$var:${target.path}`);
}

/** Returns the fields of an object that contain a reference to the target, such as `args.db`. */
export const listReferringFields = (target: MentionTarget, prefix: string, object: object | null | undefined): string[] =>
  Object.entries(object ?? {}).flatMap(([name, value]) => (refersTo(target, value) ? [`${prefix}.${name}`] : []));

/** Returns whether a script path and its kind, as schedules and triggers store them, are the target. */
export const isRunTarget = ({ kind, path }: MentionTarget, run: { scriptPath: string; isFlow: boolean }): boolean =>
  run.scriptPath === path && kind === (run.isFlow ? "flow" : "script");

/** Returns whether a handler, such as `flow/f/ops/report`, is the target. A path alone is that of a script, or of a flow if there is no such script. */
export function isHandlerTarget(target: MentionTarget, handler: string | null | undefined): boolean {
  const parsed = handler ? parseHandlerPath(handler) : undefined;
  if (parsed?.path !== target.path) return false;
  if (handler !== target.path) return parsed.kind === target.kind;
  return target.kind === "script" || (target.kind === "flow" && !target.hasScript);
}
