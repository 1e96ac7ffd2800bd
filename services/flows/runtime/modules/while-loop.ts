import type { StepState } from "../../../../core/flows/step-call.ts";
import type { CompleteStepDeps } from "../complete-step.ts";
import { runInOrder } from "../lists/run-in-order.ts";
import type { StepContext } from "../step-context.ts";

/** Runs one iteration after another until an iteration stops the loop, because the result of one iteration decides about the next. */
export async function runWhileLoop(deps: CompleteStepDeps, step: StepContext): Promise<StepState> {
  return runInOrder(deps, step, Number.POSITIVE_INFINITY);
}
