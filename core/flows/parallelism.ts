import type { FlowModule } from "../../contract/flows/flow-value.ts";
import { isLoop, listBodyModules, listNestedModules } from "./scopes.ts";

/** The most iterations of a parallel loop that run at once: a Map state takes no more. */
export const MOST_AT_ONCE = 40;

/** Returns how many iterations run at once for a stated number, which may be absent. */
export const limitAtOnce = (wanted: number | null | undefined): number =>
  Math.min(wanted && wanted >= 1 ? Math.floor(wanted) : MOST_AT_ONCE, MOST_AT_ONCE);

/**
 * Returns how many iterations of a parallel loop run at once, if its machine can begin the next one whenever one ends. Loops inside the body
 * share the history of the execution, so they run in rounds, as do loops whose parallelism is an expression. `undefined` for those.
 */
export function slidingWidth(module: FlowModule): number | undefined {
  const { value } = module;
  if (value.type !== "forloopflow" || value.parallel !== true) return undefined;
  if (listNestedModules(listBodyModules(module)).some(isLoop)) return undefined;
  const { parallelism } = value;
  if (typeof parallelism !== "object" || parallelism === null) return limitAtOnce(parallelism);
  return parallelism.type === "static" && typeof parallelism.value === "number" ? limitAtOnce(parallelism.value) : undefined;
}
