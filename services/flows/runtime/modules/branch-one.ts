import type { FlowModule } from "../../../../contract/flows/flow-value.ts";
import { branchScope, DEFAULT } from "../../../../core/flows/scopes.ts";
import type { StepState } from "../../../../core/flows/step-call.ts";
import { type CompleteStepDeps, completeStep } from "../complete-step.ts";
import { continueInNextExecution, dispatchList } from "../lists/dispatch-list.ts";
import { findListResults, pathInside, scopeNamed } from "../lists/list-results.ts";
import type { StepContext } from "../step-context.ts";
import { transitionTo } from "../transitions.ts";
import { previousResult } from "./identity.ts";

type BranchOne = Extract<FlowModule["value"], { type: "branchone" }>;

/** Runs the first branch whose condition holds, or the default branch. The choice is made once, and recorded with the branch that runs. */
export async function runBranchOne(deps: CompleteStepDeps, step: StepContext, value: BranchOne): Promise<StepState> {
  const branch = step.progress.branch ?? (await chooseBranch(deps, value));
  const scope = scopeNamed(step, branchScope(step.module.id, branch));
  if (scope.modules.length === 0) {
    return completeStep(deps, step, { status: "succeeded", result: await previousResult(deps, step), details: { branch } });
  }
  const path = pathInside(step);
  const [ended] = await findListResults(deps, step, [{ scope, path }]);
  if (!ended) {
    await dispatchList(deps, step, { branch });
    return transitionTo(step, `branch ${branch}`, { path });
  }
  const { status, result, job, skip, canceled } = ended;
  const details = { branch, ...(job ? { job } : {}) };
  switch (status) {
    case "continued":
      return continueInNextExecution(deps, step);
    case "failed":
      return completeStep(deps, step, { status, result, details, handled: true, canceled });
    case "stopped":
      return completeStep(deps, step, { status, result, details, skip });
    case "succeeded":
      return completeStep(deps, step, { status, result, details });
  }
}

async function chooseBranch({ expressions }: CompleteStepDeps, { branches }: BranchOne): Promise<number | typeof DEFAULT> {
  for (const [index, { expr }] of branches.entries()) if (await expressions.holds(`branches[${index}].expr`, expr)) return index;
  return DEFAULT;
}
