import { assertNever } from "../../../contract/utilities/assert-never.ts";
import { endRef, FAILURE, PREPROCESSOR } from "../../../core/flows/journal.ts";
import { mayRequireApproval } from "../../../core/flows/scopes.ts";
import type { StepState } from "../../../core/flows/step-call.ts";
import type { Uses } from "../../uses.ts";
import { completeStep } from "./complete-step.ts";
import { createEvaluator, ExpressionError, type StepExpressions } from "./expressions/evaluator.ts";
import { storeFlowValue } from "./flow-values.ts";
import { findEnd, findOutcome, type JournalItems, readJournal } from "./journal.ts";
import { runBranchAll } from "./modules/branch-all.ts";
import { runBranchOne } from "./modules/branch-one.ts";
import { openConsent } from "./modules/consent-gate.ts";
import { runForLoop } from "./modules/for-loop.ts";
import { resumeAtGate } from "./modules/gate.ts";
import { previousResult, runIdentity } from "./modules/identity.ts";
import { type RunScriptDeps, runScript } from "./modules/script.ts";
import { runSubflow } from "./modules/subflow.ts";
import { runWhileLoop } from "./modules/while-loop.ts";
import type { StepContext } from "./step-context.ts";
import { failedWith } from "./step-result.ts";
import { nextState, StepFailed, waitBeforeRetry } from "./transitions.ts";

export type ExecuteModuleDeps = Uses<
  | "followUps"
  | "executors"
  | "onJobEnded"
  | "gatedFlows"
  | "jobs"
  | "objects"
  | "storage"
  | "queue"
  | "dataKeys"
  | "nowMs"
  | "pause"
  | "maxRetryMs"
  | "worker"
>;

/**
 * Returns the state that follows from the recorded outcome of a module, or runs the module. `items`: the journal at its position. Throws
 * `StepFailed` if the compiled machine has no Choice state after the task that could handle a failure.
 */
export async function executeModule(deps: ExecuteModuleDeps, step: StepContext, items: JournalItems): Promise<StepState> {
  const { module, scope, path } = step;
  const outcome = findOutcome(items, module.id, scope.name, path);
  if (outcome) return nextState(deps, step, outcome);
  if (module.id === FAILURE && !(await hasUnhandledFailure(deps, step)))
    throw new StepFailed("The failure module has no failure to handle.");
  const waiting = waitBeforeRetry(deps, step);
  if (waiting) return waiting;
  const withExpressions = { ...deps, expressions: createEvaluator(deps, step, expressionsOf(step)) };
  try {
    return await runModule(withExpressions, step);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return completeStep(withExpressions, step, await failedWith(deps, step, error));
  }
}

/** The failure would not be recorded, so the failure module would not run for it. */
async function hasUnhandledFailure(deps: ExecuteModuleDeps, { flow, scope, path }: StepContext): Promise<boolean> {
  const end = findEnd(await readJournal(deps, flow, [endRef(scope.name, path)]), scope.name, path);
  return end?.reason === "failed" && !end.handled;
}

async function runModule(deps: RunScriptDeps, step: StepContext): Promise<StepState> {
  const { module, flow } = step;
  const { mock, skip_if: skip } = module;
  // Arguments from a job, or of a request that skips the preprocessor, are the flow's input unchanged.
  if (module.id === PREPROCESSOR && flow.preprocess !== "wanted") {
    return completeStep(deps, step, { status: "succeeded", result: { jobId: flow.id, location: flow.args }, details: { skipped: true } });
  }
  // Without its result, the flow would continue with untrusted input, and the request of a route would be unchecked.
  const mustRun = module.id === PREPROCESSOR;
  if (mock?.enabled && !mustRun) {
    const result = await storeFlowValue(deps, step, mock.return_value ?? null);
    return completeStep(deps, step, { status: "succeeded", result, neverRan: true });
  }
  const resumed = mayRequireApproval(module) ? await resumeAtGate(deps, step) : undefined;
  if (resumed) return resumed;
  if (skip && !mustRun && (await deps.expressions.holds("skip_if", skip.expr))) {
    const result = await previousResult(deps, step);
    return completeStep(deps, step, { status: "succeeded", result, details: { skipped: true }, neverRan: true });
  }
  return runModuleOfKind(deps, step);
}

async function runModuleOfKind(deps: RunScriptDeps, step: StepContext): Promise<StepState> {
  const { value } = step.module;
  switch (value.type) {
    case "script":
    case "rawscript":
    case "aiagent":
      return runScript(deps, step);
    case "flow":
      return runSubflow(deps, step);
    case "forloopflow":
      return runForLoop(deps, step, value);
    case "whileloopflow":
      return runWhileLoop(deps, step);
    case "branchone":
      return runBranchOne(deps, step, value);
    case "branchall":
      return runBranchAll(deps, step, value);
    case "consentgate":
      return openConsent(deps, step, value);
    case "identity":
      return runIdentity(deps, step);
    default:
      return assertNever(value);
  }
}

/** All expressions that may be evaluated for a module, so that their names are loaded together. */
function expressionsOf({ module }: StepContext): StepExpressions {
  const { value } = module;
  const branches = value.type === "branchone" ? value.branches : [];
  return {
    beforeRun: textsOf(module.skip_if, "iterator" in value ? value.iterator : undefined, ...branches),
    others: textsOf(
      ...("input_transforms" in value ? Object.values(value.input_transforms ?? {}) : []),
      "parallelism" in value ? value.parallelism : undefined,
      module.sleep,
      module.timeout,
      module.suspend?.user_groups_required,
      module.stop_after_if,
      module.stop_after_all_iters_if,
      module.retry?.retry_if,
    ),
  };
}

/** The texts of the parts that are expressions. */
const textsOf = (...parts: readonly unknown[]): string[] =>
  parts.flatMap((part) => {
    const { expr } = (part ?? {}) as { expr?: unknown };
    return typeof expr === "string" ? [expr] : [];
  });
