import type { FlowModule, FlowValue } from "../../contract/flow-value.ts";
import { innerAt, insideAt, type Outcome, type Progress } from "./journal.ts";
import { bodyScope, branchScope, DEFAULT, type FlowIndex, isContainer, isParallel, ROOT, type Scope, type ScopeName } from "./scopes.ts";

/** What the journal says of a module in a list, at a place. */
export interface Journal {
  outcome: (module: string, scope: ScopeName, at: string) => Outcome | undefined;
  progress: (module: string, scope: ScopeName, at: string) => Progress | undefined;
}

/** Where a step has run, or may be running: the same that its job's id is made of. */
export interface ExecutedStep {
  module: string;
  scope: ScopeName;
  at: string;
  attempt: number;
}

/** Every place in a flow where a step can have run so far, in the order of the flow; of what is running now, also where one may only be about to. */
export function* executedSteps(value: FlowValue, index: FlowIndex, journal: Journal): Generator<ExecutedStep> {
  const { failure_module: failure, preprocessor_module: preprocessor } = value;

  function* list(name: ScopeName, at: string): Generator<ExecutedStep> {
    const scope = index.scopes.get(name);
    if (!scope) return;
    let goes: Outcome["goes"] | undefined = "next";
    for (const module of scope.modules) {
      yield* attempts(module, scope, at);
      goes = journal.outcome(module.id, name, at)?.goes;
      if (goes !== "next") break;
    }
    if (goes === "fail" && failure) yield* attempts(failure, scope, at);
  }

  function* attempts(module: FlowModule, scope: Scope, at: string): Generator<ExecutedStep> {
    const { id } = module;
    const outcome = journal.outcome(id, scope.name, at);
    const progress = journal.progress(id, scope.name, at) ?? {};
    const failed = (outcome?.retries ?? progress.failed ?? []).length;
    for (let attempt = 0; attempt <= failed; attempt += 1) {
      const isLast = attempt === failed;
      if (isContainer(module))
        yield* inside(module, insideAt(id, at, attempt), isLast ? (outcome?.branch ?? progress.branch) : "any", isLast ? progress : {});
      // Skipped, mocked, or without anything to run.
      else if (!isLast || !outcome || outcome.job !== undefined) yield { module: id, scope: scope.name, at, attempt };
    }
  }

  function* inside(module: FlowModule, at: string, branch: Outcome["branch"] | "any", progress: Progress): Generator<ExecutedStep> {
    const { id, value: of } = module;
    const reached = progress.index ?? -1;
    if (of.type === "branchone") {
      const all = [...of.branches.keys(), DEFAULT];
      for (const each of all) if (branch === "any" || each === branch) yield* list(branchScope(id, each), at);
    } else if (of.type === "branchall") {
      for (const each of of.branches.keys())
        if (branch === "any" || isParallel(module) || each <= reached) yield* list(branchScope(id, each), at);
    } else {
      const scope = bodyScope(id);
      const first = index.scopes.get(scope)?.modules[0]?.id ?? "";
      const known = (each: number) => journal.outcome(first, scope, innerAt(at, each)) !== undefined;
      const until = isParallel(module) ? Math.min(progress.count ?? 0, reached + (progress.width ?? 1)) : reached + 1;
      for (let each = 0; each < until || known(each); each += 1) yield* list(scope, innerAt(at, each));
    }
  }

  if (preprocessor) yield* attempts(preprocessor, { name: ROOT, modules: value.modules, loops: [], inside: [] }, "");
  yield* list(ROOT, "");
}
