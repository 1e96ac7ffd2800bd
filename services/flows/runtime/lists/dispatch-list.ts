import { findScopePath } from "../../../../core/flows/journal.ts";
import { isParallel, type Scope } from "../../../../core/flows/scopes.ts";
import type { StepState } from "../../../../core/flows/step-call.ts";
import type { Uses } from "../../../uses.ts";
import { writeEnd, writeProgress } from "../journal.ts";
import type { StepContext } from "../step-context.ts";
import { transitionTo } from "../transitions.ts";

/**
 * Records the list that runs in this execution. Throws if the list was already dispatched in this execution and has no end: the state machine
 * never ran it, and only a new execution can.
 */
export async function dispatchList(
  deps: Uses<"jobs">,
  step: StepContext,
  change: { index?: number; branch?: number | "default" },
): Promise<void> {
  const { progress, state } = step;
  const isSame = progress.execution === state.execution && progress.index === change.index && progress.branch === change.branch;
  if (!step.inSegment && isSame) throw new Error(`A list inside module ${step.module.id} has not ended.`);
  await writeProgress(deps, step, { ...change, execution: state.execution });
}

/**
 * Leaves the rest to another execution, because the history of this one becomes too long. Inside parallel lists, the enclosing module must do so.
 */
export async function continueInNextExecution(deps: Uses<"jobs">, step: StepContext): Promise<StepState> {
  for (let scope: Scope | undefined = step.scope; scope?.of; scope = scope.of.scope) {
    if (!isParallel(scope.of.module)) continue;
    const result = { jobId: step.flow.id, location: { in: "head" as const, json: "null" } };
    const listStep = { ...step, scope, path: findScopePath(scope, step.path) };
    await writeEnd(deps, listStep, { reason: "continued", module: step.module.id, result, execution: step.state.execution });
    break;
  }
  return transitionTo(step, "again");
}
