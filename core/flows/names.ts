import { seenAt } from "./journal.ts";
import { type FlowIndex, ROOT, type Scope } from "./scopes.ts";

/** Which of the names that expressions may use they do use: only those are loaded. */
export interface Wanted {
  input: boolean;
  previous: boolean;
  /** Ids of steps, or all that can be seen. */
  results: ReadonlySet<string> | "all";
  env: boolean;
  /** What came with the approvals of the step before. */
  resume: boolean;
}

/** Literal names after `results`; anything else that is done with it needs all. */
const NAMED = /\bresults\s*(?:\?\.\s*|\.\s*)([A-Za-z_$][\w$]*)|\bresults\s*(?:\?\.\s*)?\[\s*(["'`])([\w$-]+)\2\s*\]/g;

export function collectReferences(expressions: readonly string[]): Wanted {
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

/** Where the results of steps stand as seen from a place; steps that do not exist, or in loops that the place is not in, have none. */
export function visibleSteps(
  index: FlowIndex,
  from: Scope,
  at: string,
  wanted: Wanted["results"],
): Map<string, { scope: Scope; at: string }> {
  const ids = wanted === "all" ? [...index.modules.keys()] : [...wanted];
  return new Map(
    ids.flatMap((id) => {
      const placed = index.modules.get(id);
      const there = placed && placed.index >= 0 ? seenAt(from, at, placed.scope) : undefined;
      return placed === undefined || there === undefined ? [] : [[id, { scope: placed.scope, at: there }] as const];
    }),
  );
}

/**
 * The module of the flow's own list after which `early_return` is answered: the step that it is the id of; for an expression the last one of those that it
 * names, or that what it names stands in.
 */
export function earlyAfter({ modules }: FlowIndex, wanted: string): string | undefined {
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
