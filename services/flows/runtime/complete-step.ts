import { retryDelayS } from "../../../core/flows/retry.ts";
import type { StepState } from "../../../core/flows/step-call.ts";
import { type Evaluator, ExpressionError } from "./expressions/evaluator.ts";
import { openSuspend } from "./modules/approval.ts";
import { goTo, loadFlowValue, type StepContext, writeProgress } from "./step-context.ts";
import { continueAfter, failStep, failureResult, type StepResult, stopFlow, stopFlowAs } from "./step-result.ts";

/**
 * What follows from how a module's work ended: another attempt, success, the end of its list, failure. It is written down, the end of a list
 * before the outcome that says so.
 */
export async function completeStep(step: StepContext, expressions: Evaluator, done: StepResult): Promise<StepState> {
  const { module } = step;
  if (!done.ok) {
    const again = module.retry ? await scheduleRetry(step, expressions, done) : undefined;
    if (again) return again;
    return failStep(step, done);
  }
  if (done.stopped) return stopFlow(step, done, { skip: done.skip });
  const loops = module.value.type === "forloopflow" || module.value.type === "whileloopflow" || module.value.type === "branchall";
  const predicate = loops ? module.stop_after_all_iters_if : module.stop_after_if;
  try {
    const result = predicate ? await loadFlowValue(step, done.result) : undefined;
    if (predicate && (await expressions.holds(predicate.expr, { result }))) return await stopFlowAs(step, done, predicate, result);
    return await ((module.suspend?.required_events ?? 0) > 0 && !done.unasked ? openSuspend : continueAfter)(step, expressions, done);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return failStep(step, await failureResult(step, error));
  }
}

async function scheduleRetry(step: StepContext, expressions: Evaluator, done: StepResult): Promise<StepState | undefined> {
  const { module, progress, working } = step;
  if (!module.retry) return undefined;
  const failedJobs = [...(progress.failed ?? []), done.also?.job ?? ""];
  const delayS = retryDelayS(module.retry, failedJobs.length, Math.random());
  if (delayS === undefined) return undefined;
  try {
    const { retry_if: predicate } = module.retry;
    if (predicate && !(await expressions.holds(predicate.expr, { result: await loadFlowValue(step, done.result) }))) return undefined;
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return undefined;
  }
  // A loop that is tried again begins at its first item.
  const { list, count, index, width, branch, ...kept } = progress;
  const retryAtMs = working.nowMs() + Math.round(delayS * 1000);
  await writeProgress({ ...step, progress: kept }, { failed: failedJobs, retryAtMs });
  return goTo(step, "retry", { s: Math.ceil(delayS) });
}
