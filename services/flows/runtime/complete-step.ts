import { retryDelayS } from "../../../core/flows/retry.ts";
import type { FlowState } from "../../../core/flows/step-call.ts";
import { type Evaluator, ExpressionError } from "./expressions/evaluator.ts";
import { openSuspend } from "./modules/approval.ts";
import { goTo, type Here, keptValue, writeProgress } from "./step-context.ts";
import { type Done, fail, failed, goOnAfter, stop, stopAs } from "./step-result.ts";

/**
 * What follows from how a module's work ended: another attempt, success, the end of its list, failure. It is written down, the end of a list
 * before the outcome that says so.
 */
export async function decide(here: Here, evaluator: Evaluator, done: Done): Promise<FlowState> {
  const { module } = here;
  if (!done.ok) {
    const again = module.retry ? await retry(here, evaluator, done) : undefined;
    if (again) return again;
    return fail(here, done);
  }
  if (done.stopped) return stop(here, done, { skip: done.skip });
  const loops = module.value.type === "forloopflow" || module.value.type === "whileloopflow" || module.value.type === "branchall";
  const predicate = loops ? module.stop_after_all_iters_if : module.stop_after_if;
  try {
    const result = predicate ? await keptValue(here, done.result) : undefined;
    if (predicate && (await evaluator.holds(predicate.expr, { result }))) return await stopAs(here, done, predicate, result);
    return await ((module.suspend?.required_events ?? 0) > 0 && !done.unasked ? openSuspend : goOnAfter)(here, evaluator, done);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return fail(here, await failed(here, error));
  }
}

async function retry(here: Here, evaluator: Evaluator, done: Done): Promise<FlowState | undefined> {
  const { module, progress, working } = here;
  if (!module.retry) return undefined;
  const failedJobs = [...(progress.failed ?? []), done.also?.job ?? ""];
  const delayS = retryDelayS(module.retry, failedJobs.length, Math.random());
  if (delayS === undefined) return undefined;
  try {
    const { retry_if: predicate } = module.retry;
    if (predicate && !(await evaluator.holds(predicate.expr, { result: await keptValue(here, done.result) }))) return undefined;
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return undefined;
  }
  // A loop that is tried again begins at its first item.
  const { list, count, index, width, branch, ...kept } = progress;
  const retryAtMs = working.nowMs() + Math.round(delayS * 1000);
  await writeProgress({ ...here, progress: kept }, { failed: failedJobs, retryAtMs });
  return goTo(here, "retry", { s: Math.ceil(delayS) });
}
