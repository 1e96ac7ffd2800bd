import type { ParsedExpression } from "../expressions/parse-expression.ts";
import { parsePlainPath } from "../expressions/plain-path.ts";
import { findVisiblePath } from "./journal.ts";
import { type FlowIndex, ROOT, type Scope } from "./scopes.ts";

/** The names of a flow that some expressions use: only those are loaded. */
export interface References {
  input: boolean;
  previous: boolean;
  /** The ids of steps, or all visible steps. */
  results: ReadonlySet<string> | "all";
  env: boolean;
  /** The payloads of the approvals of the previous step. */
  resume: boolean;
  /** All identifiers. */
  names: ReadonlySet<string>;
}

/** Collects the names that expressions use. An expression that cannot be parsed uses none. */
export async function collectReferences(expressions: readonly string[]): Promise<References> {
  const names = new Set<string>();
  const ids = new Set<string>();
  let all = false;
  for (const expression of expressions) {
    const found = await findNames(expression);
    if (!found.ok) continue;
    for (const name of found.names) names.add(name);
    if (found.results === "all") all = true;
    else for (const id of found.results) ids.add(id);
  }
  const uses = (...candidates: string[]) => names.has("eval") || candidates.some((name) => names.has(name));
  return {
    input: uses("flow_input"),
    previous: uses("previous_result", "error"),
    results: all ? "all" : ids,
    env: uses("flow_env"),
    resume: uses("resume", "resumes", "approvers"),
    names,
  };
}

/** Returns whether an expression uses a name from outside the expression. */
export async function usesName(expression: string, name: string): Promise<boolean> {
  const found = await findNames(expression);
  return found.ok && (found.names.has(name) || found.names.has("eval"));
}

type Names = Pick<Extract<ParsedExpression, { ok: true }>, "ok" | "names" | "results"> | { ok: false };

async function findNames(expression: string): Promise<Names> {
  const [root, id] = parsePlainPath(expression) ?? [];
  if (root !== undefined && root !== "results") return { ok: true, names: new Set([root]), results: new Set() };
  if (root !== undefined && id !== undefined && !(id in Object.prototype)) {
    return { ok: true, names: new Set([root]), results: new Set([id]) };
  }
  // Loaded on first use, because it contains a parser.
  const { parseExpression } = await import("../expressions/parse-expression.ts");
  return parseExpression(expression);
}

/**
 * The locations of the results of steps, relative to a position, in the order of the flow. Steps that do not exist, or are inside loops that do
 * not contain the position, have none.
 */
export function findVisibleSteps(
  index: FlowIndex,
  from: Scope,
  path: string,
  results: References["results"],
): Map<string, { scope: Scope; path: string }> {
  const ids = results === "all" ? [...index.modules.keys()] : [...results];
  return new Map(
    ids.flatMap((id) => {
      const placed = index.modules.get(id);
      const there = placed && placed.index >= 0 ? findVisiblePath(from, path, placed.scope) : undefined;
      return placed === undefined || there === undefined ? [] : [[id, { scope: placed.scope, path: there }] as const];
    }),
  );
}

/** An `early_return`: the module of the flow's own list after which it is evaluated, and the expression, if it is not the result of that module. */
export interface EarlyReturn {
  after: string | undefined;
  expression?: string;
}

/**
 * Finds the position at which `early_return` is evaluated: after the step with that id; for an expression, after the last of the modules that it
 * names or that contain a step that it names.
 */
export async function findEarlyReturn({ modules }: FlowIndex, earlyReturn: string): Promise<EarlyReturn> {
  const rootModules = [...modules.values()]
    .filter(({ scope, index }) => scope.name === ROOT && index >= 0)
    .sort((a, b) => a.index - b.index);
  if (rootModules.some(({ module }) => module.id === earlyReturn)) return { after: earlyReturn };
  const { results } = await collectReferences([earlyReturn]);
  if (results === "all") return { after: rootModules.at(-1)?.module.id, expression: earlyReturn };
  const places = [...results].flatMap((id) => {
    const around = modules.get(id)?.scope.inside[0] ?? id;
    return rootModules.findIndex(({ module }) => module.id === around);
  });
  return { after: rootModules[Math.max(0, ...places)]?.module.id, expression: earlyReturn };
}
