import { outcomeRef } from "../../../../core/flows/journal.ts";
import type { StepState } from "../../../../core/flows/step-call.ts";
import type { ValueRef } from "../../../../core/jobs/record/value-ref.ts";
import type { Uses } from "../../../uses.ts";
import { type CompleteStepDeps, completeStep } from "../complete-step.ts";
import { inputRefOf, loadInput } from "../expressions/flow-input.ts";
import { previousModule } from "../expressions/load-names.ts";
import { storeFlowValue } from "../flow-values.ts";
import { findOutcome, readJournal } from "../journal.ts";
import type { StepContext } from "../step-context.ts";

/** Returns the previous result unchanged. */
export async function runIdentity(deps: CompleteStepDeps, step: StepContext): Promise<StepState> {
  return completeStep(deps, step, { status: "succeeded", result: await previousResult(deps, step) });
}

/** The result of the module before this one, or the input of the flow or iteration. */
export async function previousResult(deps: Uses<"jobs" | "storage">, step: StepContext): Promise<ValueRef> {
  const { flow, scope, path } = step;
  const before = previousModule(step);
  if (before !== undefined) {
    const outcome = findOutcome(await readJournal(deps, flow, [outcomeRef(before, scope.name, path)]), before, scope.name, path);
    if (outcome) return outcome.result;
  }
  if (scope.loops.length === 0) return inputRefOf(flow);
  return storeFlowValue(deps, step, await loadInput(deps, step));
}
