import type { FlowModule } from "../../../../contract/flows/flow-value.ts";
import type { StepState } from "../../../../core/flows/step-call.ts";
import type { CompleteStepDeps } from "../complete-step.ts";
import { runInOrder } from "../lists/run-in-order.ts";
import { runInRounds } from "../lists/run-in-rounds.ts";
import type { StepContext } from "../step-context.ts";

type BranchAll = Extract<FlowModule["value"], { type: "branchall" }>;

/** Runs every branch, one after another or all at once. */
export async function runBranchAll(deps: CompleteStepDeps, step: StepContext, { branches, parallel }: BranchAll): Promise<StepState> {
  const count = branches.length;
  return parallel === true ? runInRounds(deps, step, { count, width: count, most: Math.max(count, 1) }) : runInOrder(deps, step, count);
}
