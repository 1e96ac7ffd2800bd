import { assertNever } from "../../../contract/utilities/assert-never.ts";
import { computeRetryDelayS } from "../../../core/flows/retry.ts";
import type { StepState } from "../../../core/flows/step-call.ts";
import { countOutcome } from "../../../core/telemetry/telemetry.ts";
import type { Uses } from "../../uses.ts";
import { continueAfter, failStep, stopList, stoppedBy } from "./end-step.ts";
import { ExpressionError } from "./expressions/evaluator.ts";
import { loadFlowValue } from "./flow-values.ts";
import { writeProgress } from "./journal.ts";
import { openApproval } from "./modules/approval.ts";
import type { StepContext } from "./step-context.ts";
import { type FailedResult, failedWith, type StepResult, type SucceededResult } from "./step-result.ts";
import { waitOn } from "./transitions.ts";

export type CompleteStepDeps = Uses<"gatedFlows" | "expressions" | "jobs" | "objects" | "storage" | "dataKeys" | "nowMs">;

/**
 * Records the outcome of a module and returns the state machine's next state: retry, continue, wait for approval, or end the list. Writes the end
 * of a list before the outcome that refers to it: a repeated call then finds both, or neither.
 */
export async function completeStep(deps: CompleteStepDeps, step: StepContext, result: StepResult): Promise<StepState> {
  switch (result.status) {
    case "failed":
      return retryOrFail(deps, step, result);
    case "stopped":
      return stopList(deps, step, result);
    case "succeeded":
      return completeSuccess(deps, step, result);
    default:
      return assertNever(result);
  }
}

async function completeSuccess(deps: CompleteStepDeps, step: StepContext, result: SucceededResult): Promise<StepState> {
  try {
    const stop = await applyStopPredicate(deps, step, result);
    if (stop?.status === "stopped") return await stopList(deps, step, stop);
    if (stop?.status === "failed") return await failStep(deps, step, stop);
    return await (requiresApproval(step, result) ? openApproval : continueAfter)(deps, step, result);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return failStep(deps, step, await failedWith(deps, step, error, result.details));
  }
}

const requiresApproval = ({ module }: StepContext, { neverRan }: SucceededResult) =>
  !neverRan && (module.suspend?.required_events ?? 0) > 0;

/** In modules with lists inside, `stop_after_if` is evaluated after each iteration, and `stop_after_all_iters_if` at the end. */
async function applyStopPredicate(deps: CompleteStepDeps, step: StepContext, done: SucceededResult): Promise<StepResult | undefined> {
  const { module } = step;
  const iterates = module.value.type === "forloopflow" || module.value.type === "whileloopflow" || module.value.type === "branchall";
  const field = iterates ? "stop_after_all_iters_if" : "stop_after_if";
  const predicate = module[field];
  if (!predicate) return undefined;
  const value = await loadFlowValue(deps, step, done.result);
  return (await deps.expressions.holds(field, predicate.expr, { result: value }))
    ? stoppedBy(deps, step, done, { predicate, value })
    : undefined;
}

/** A condition that cannot be evaluated fails the step, with the error of its last attempt in the message. */
async function retryOrFail(deps: CompleteStepDeps, step: StepContext, result: FailedResult): Promise<StepState> {
  try {
    return (await scheduleRetry(deps, step, result)) ?? (await failStep(deps, step, result));
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const attempt = (await loadFlowValue(deps, step, result.result)) as { error?: { name?: unknown; message?: unknown } } | null;
    const { name = "Error", message = "" } = attempt?.error ?? {};
    const problem = { name: error.name, message: `${error.message} The attempt before it failed with ${name}: ${message}` };
    return failStep(deps, step, { ...result, ...(await failedWith(deps, step, problem, result.details)) });
  }
}

/** Records the failed attempt and the earliest time of the next one; `undefined` if no attempt is left. */
async function scheduleRetry(deps: CompleteStepDeps, step: StepContext, done: FailedResult): Promise<StepState | undefined> {
  const { module, progress } = step;
  if (!module.retry) return undefined;
  const failed = [...(progress.failed ?? []), done.details?.job ?? ""];
  const delayS = computeRetryDelayS(module.retry, failed.length, Math.random());
  if (delayS === undefined) return undefined;
  const { retry_if: predicate } = module.retry;
  if (
    predicate &&
    !(await deps.expressions.holds("retry.retry_if", predicate.expr, { result: await loadFlowValue(deps, step, done.result) }))
  )
    return undefined;
  // A loop restarts at its first item.
  const { list, count, index, width, branch, ...remaining } = progress;
  countOutcome("StepRetries");
  await writeProgress(deps, { ...step, progress: remaining }, { failed, retryAtMs: deps.nowMs() + Math.round(delayS * 1000) });
  return waitOn(deps, step, "retry", Math.ceil(delayS));
}
