import type { InputTransform } from "../../contract/flows/flow-value.ts";
import type { Reference } from "../../contract/utilities/reference.ts";
import { findPathRoot } from "../expressions/plain-path.ts";
import { escapeReferences } from "./references.ts";

/**
 * Names whose values contain only valid references, because every other text that looks like one has a backslash: the arguments of the run, and
 * those of the previous step.
 */
const STORED_ARGUMENTS = new Set(["flow_input", "params"]);

/**
 * Returns the value of a transform, in which a text refers to a variable or a resource by its origin: the author of the flow wrote it as a `static`
 * value, or it is an argument of the run that reaches the step unchanged by a path. Any other text that looks like a reference gets a backslash: a
 * stranger, a script, an error or an approver may have written it. `stored`: the names of stored arguments in the expression.
 */
export function escapeByOrigin(
  transform: InputTransform,
  value: unknown,
  { stored = STORED_ARGUMENTS, mayRefer }: { stored?: ReadonlySet<string>; mayRefer?: (reference: Reference) => boolean } = {},
): unknown {
  if (transform.type === "static") return mayRefer ? escapeReferences(value, mayRefer) : value;
  const root = transform.type === "javascript" ? findPathRoot(transform.expr) : undefined;
  return root !== undefined && stored.has(root) ? value : escapeReferences(value);
}
