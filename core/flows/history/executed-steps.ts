import type { FlowModule, FlowValue } from "../../../contract/flows/flow-value.ts";
import { insidePath, iterationPath, type Outcome, type Progress } from "../journal.ts";
import { bodyScope, branchScope, DEFAULT, type FlowIndex, isContainer, isParallel, ROOT, type Scope, type ScopeName } from "../scopes.ts";

/** The journal of a flow: the outcome and the progress of a module in a list, at a path. */
export interface Journal {
  outcome: (module: string, scope: ScopeName, path: string) => Outcome | undefined;
  progress: (module: string, scope: ScopeName, path: string) => Progress | undefined;
}

/** The position of a step that has run or may be running. The id of its job is derived from these fields. */
export interface ExecutedStep {
  module: string;
  scope: ScopeName;
  path: string;
  attempt: number;
}

/**
 * Every position in a flow at which a step can have run so far, in the order of the flow. In a running flow, some of these steps have not begun
 * yet.
 */
export function* executedSteps(value: FlowValue, index: FlowIndex, journal: Journal): Generator<ExecutedStep> {
  const { failure_module: failure, preprocessor_module: preprocessor } = value;

  function* list(name: ScopeName, path: string): Generator<ExecutedStep> {
    const scope = index.scopes.get(name);
    if (!scope) return;
    let transition: Outcome["transition"] | undefined = "next";
    for (const module of scope.modules) {
      yield* attempts(module, scope, path);
      transition = journal.outcome(module.id, name, path)?.transition;
      if (transition !== "next") break;
    }
    if (transition === "fail" && failure) yield* attempts(failure, scope, path);
  }

  function* attempts(module: FlowModule, scope: Scope, path: string): Generator<ExecutedStep> {
    const { id } = module;
    const outcome = journal.outcome(id, scope.name, path);
    const progress = journal.progress(id, scope.name, path) ?? {};
    const failed = (outcome?.retries ?? progress.failed ?? []).length;
    for (let attempt = 0; attempt <= failed; attempt += 1) {
      const isLast = attempt === failed;
      if (isContainer(module))
        yield* inside(module, insidePath(id, path, attempt), isLast ? (outcome?.branch ?? progress.branch) : "any", isLast ? progress : {});
      // A step without a job was skipped or mocked.
      else if (!isLast || !outcome || outcome.job !== undefined) yield { module: id, scope: scope.name, path, attempt };
    }
  }

  function* inside(module: FlowModule, path: string, branch: Outcome["branch"] | "any", progress: Progress): Generator<ExecutedStep> {
    const { id, value: of } = module;
    const reached = progress.index ?? -1;
    if (of.type === "branchone") {
      const all = [...of.branches.keys(), DEFAULT];
      for (const each of all) if (branch === "any" || each === branch) yield* list(branchScope(id, each), path);
    } else if (of.type === "branchall") {
      for (const each of of.branches.keys())
        if (branch === "any" || isParallel(module) || each <= reached) yield* list(branchScope(id, each), path);
    } else {
      const scope = bodyScope(id);
      const first = index.scopes.get(scope)?.modules[0]?.id ?? "";
      const hasOutcome = (each: number) => journal.outcome(first, scope, iterationPath(path, each)) !== undefined;
      const until = isParallel(module) ? Math.min(progress.count ?? 0, reached + (progress.width ?? 1)) : reached + 1;
      for (let each = 0; each < until || hasOutcome(each); each += 1) yield* list(scope, iterationPath(path, each));
    }
  }

  if (preprocessor) yield* attempts(preprocessor, { name: ROOT, modules: value.modules, loops: [], inside: [] }, "");
  yield* list(ROOT, "");
}
