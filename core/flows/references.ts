import { findVisiblePath } from "./journal.ts";
import { type FlowIndex, ROOT, type Scope } from "./scopes.ts";

/** The names of a flow that some expressions use: only those are loaded. */
export interface References {
  input: boolean;
  previous: boolean;
  /** The ids of steps, or all visible steps. */
  results: ReadonlySet<string> | "all";
  env: boolean;
  /** The payloads of the approvals of the step before. */
  resume: boolean;
}

/** Literal names after `results`. Any other use of `results` needs all of them. */
const NAMED = /\bresults\s*(?:\?\.\s*|\.\s*)([A-Za-z_$][\w$]*)|\bresults\s*(?:\?\.\s*)?\[\s*(["'`])([\w$-]+)\2\s*\]/g;

/** Collects the names that expressions use. It reads the text, so that a name inside a string also counts. */
export function collectReferences(expressions: readonly string[]): References {
  const text = expressions.join("\n");
  const found = [...text.matchAll(NAMED)].map((match) => match[1] ?? match[3] ?? "");
  const all = text.match(/\bresults\b/g) ?? [];
  return {
    input: /\bflow_input\b/.test(text),
    previous: /\b(previous_result|error)\b/.test(text),
    results: all.length > found.length ? "all" : new Set(found),
    env: /\bflow_env\b/.test(text),
    resume: /\b(resume|resumes|approvers)\b/.test(text),
  };
}

/** The places of the results of steps, as seen from a place. Steps that do not exist, or are inside loops that do not contain the place, have none. */
export function findVisibleSteps(
  index: FlowIndex,
  from: Scope,
  path: string,
  wanted: References["results"],
): Map<string, { scope: Scope; path: string }> {
  const ids = wanted === "all" ? [...index.modules.keys()] : [...wanted];
  return new Map(
    ids.flatMap((id) => {
      const placed = index.modules.get(id);
      const there = placed && placed.index >= 0 ? findVisiblePath(from, path, placed.scope) : undefined;
      return placed === undefined || there === undefined ? [] : [[id, { scope: placed.scope, path: there }] as const];
    }),
  );
}

/**
 * The module of the flow's own list after which `early_return` is evaluated: the step with that id; for an expression, the last of the modules that it names
 * or that contain a step that it names.
 */
export function findEarlyReturnModule({ modules }: FlowIndex, wanted: string): string | undefined {
  const own = [...modules.values()].filter(({ scope, index }) => scope.name === ROOT && index >= 0).sort((a, b) => a.index - b.index);
  if (own.some(({ module }) => module.id === wanted)) return wanted;
  const { results } = collectReferences([wanted]);
  if (results === "all") return own.at(-1)?.module.id;
  const places = [...results].flatMap((id) => {
    const named = modules.get(id);
    const around = named?.scope.inside[0] ?? id;
    return own.findIndex(({ module }) => module.id === around);
  });
  return own[Math.max(0, ...places)]?.module.id;
}
