import { endRef, FAILURE, insidePath, iterationPath, outcomeRef } from "../../../../core/flows/journal.ts";
import { bodyScope, branchScope, type Scope } from "../../../../core/flows/scopes.ts";
import type { ValueRef } from "../../../../core/jobs/record/value-ref.ts";
import type { Uses } from "../../../uses.ts";
import { loadInput } from "../expressions/flow-input.ts";
import { recoversList, storeFlowValue } from "../flow-values.ts";
import { findEnd, findOutcome, type JournalItems, readJournal } from "../journal.ts";
import { countFailures, type StepContext } from "../step-context.ts";

/** One list at one position: an iteration of a loop, or a branch. */
export interface ListPlace {
  scope: Scope;
  path: string;
}

/** The end of a list of modules. `continued`: another execution must run the rest. */
export interface ListResult {
  status: "succeeded" | "stopped" | "failed" | "continued";
  result: ValueRef;
  skip?: boolean | undefined;
  job?: string | undefined;
  canceled?: boolean | undefined;
}

/** The path of the lists inside the module of a step. */
export const pathInside = (step: StepContext) => insidePath(step.module.id, step.path, countFailures(step));

/** The list of this name in the step's flow. */
export function scopeNamed({ plan }: Pick<StepContext, "plan">, name: string): Scope {
  const scope = plan.index.scopes.get(name);
  if (!scope) throw new Error(`The flow has no list ${name}.`);
  return scope;
}

/** The list inside a loop or `branchall` with an index: that of an iteration, or of a branch. */
export function placeAt(step: StepContext, index: number): ListPlace {
  const { module } = step;
  if (module.value.type === "branchall") return { scope: scopeNamed(step, branchScope(module.id, index)), path: pathInside(step) };
  return { scope: scopeNamed(step, bodyScope(module.id)), path: iterationPath(pathInside(step), index) };
}

/** Returns the ends of the lists at some positions, in one read of the journal; `undefined` for a list that has not ended and must run. */
export async function findListResults(
  deps: Uses<"jobs" | "storage">,
  step: StepContext,
  places: readonly ListPlace[],
): Promise<(ListResult | undefined)[]> {
  const hasFailureModule = Boolean(step.plan.value.failure_module);
  // An empty list has no journal: its result is its input.
  const refs = places
    .filter(({ scope }) => scope.modules.length > 0)
    .flatMap(({ scope, path }) => [
      endRef(scope.name, path),
      ...(hasFailureModule ? [outcomeRef(FAILURE, scope.name, path)] : []),
      ...scope.modules.slice(-1).map(({ id }) => outcomeRef(id, scope.name, path)),
    ]);
  const items = await readJournal(deps, step.flow, refs);
  return Promise.all(places.map((list) => listResult(deps, step, list, items)));
}

async function listResult(
  deps: Uses<"jobs" | "storage">,
  step: StepContext,
  { scope, path }: ListPlace,
  items: JournalItems,
): Promise<ListResult | undefined> {
  const last = scope.modules.at(-1)?.id;
  // The result of an empty list is its input.
  if (last === undefined) {
    return { status: "succeeded", result: await storeFlowValue(deps, step, await loadInput(deps, { ...step, scope, path })) };
  }
  const outcome = findOutcome(items, last, scope.name, path);
  const end = findEnd(items, scope.name, path);
  const done = outcome?.transition === "next" ? { status: "succeeded" as const, result: outcome.result, job: outcome.job } : undefined;
  if (!end) return done;
  switch (end.reason) {
    case "continued":
      // The record of an earlier execution remains when a later one completes the list.
      return end.execution === step.state.execution ? { status: "continued", result: end.result } : done;
    case "stopped":
      return { status: "stopped", result: end.result, skip: end.skip, job: outcome?.job };
    case "failed": {
      const handled = step.plan.value.failure_module ? findOutcome(items, FAILURE, scope.name, path) : undefined;
      // The result of the failure module replaces the error. Until the failure module has run, the list has not ended.
      if (step.plan.value.failure_module && !end.handled && !handled) return undefined;
      if (handled && (await recoversList(deps, handled))) return { status: "succeeded", result: handled.result, job: handled.job };
      return { status: "failed", result: handled?.result ?? end.result, job: handled?.job ?? end.job, canceled: end.canceled };
    }
  }
}
