import type { StopAfterIf } from "../../../contract/flows/flow-value.ts";
import { type Outcome, PREPROCESSOR } from "../../../core/flows/journal.ts";
import { findEarlyReturn } from "../../../core/flows/references.ts";
import { isContainer, ROOT } from "../../../core/flows/scopes.ts";
import type { StepState } from "../../../core/flows/step-call.ts";
import { flowRemainingS } from "../../../core/jobs/record/lifecycle.ts";
import type { ValueRef } from "../../../core/jobs/record/value-ref.ts";
import type { Uses } from "../../uses.ts";
import { createEvaluator, ExpressionError } from "./expressions/evaluator.ts";
import { loadFlowValue, storeFlowValue } from "./flow-values.ts";
import { writeEnd, writeOutcome } from "./journal.ts";
import { isFailureModule, type StepContext } from "./step-context.ts";
import { type FailedResult, failedWith, type StepResult, type StoppedResult, type SucceededResult } from "./step-result.ts";
import { nextState } from "./transitions.ts";

/** The dependencies of ending a step: its journal, its values and the expressions of its module. */
export type EndStepDeps = Uses<"expressions" | "jobs" | "objects" | "storage" | "dataKeys" | "nowMs">;

/** Records success after the module and its approvals: the flow continues, after the module's sleep if it has one. */
export async function continueAfter(deps: EndStepDeps, step: StepContext, done: SucceededResult): Promise<StepState> {
  const { sleep } = step.module;
  try {
    const result = sleep ? await loadFlowValue(deps, step, done.result) : undefined;
    const seconds = sleep ? ((await deps.expressions.number("sleep", sleep, "a number of seconds", { result })) ?? 0) : 0;
    const early = await evaluateEarlyReturn(deps, step, done);
    return await succeedStep(deps, step, done, { early, seconds: Math.min(seconds, flowRemainingS(step.flow, deps.nowMs())) });
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return failStep(deps, step, await failedWith(deps, step, error, done.details));
  }
}

async function succeedStep(
  deps: EndStepDeps,
  step: StepContext,
  { result, details }: SucceededResult,
  { early, seconds }: { early: ValueRef | undefined; seconds: number },
): Promise<StepState> {
  const outcome: Outcome = {
    state: "success",
    transition: "next",
    result,
    ...retriesOf(step),
    ...details,
    ...(seconds > 0 ? { sleepUntilMs: deps.nowMs() + seconds * 1000 } : {}),
  };
  await storeEarlyReturn(deps, step, early);
  await recordOutcome(deps, step, outcome);
  return nextState(deps, step, outcome);
}

/** Records the outcome of the module, and the time of the end if no job records it. */
const recordOutcome = (deps: EndStepDeps, step: StepContext, outcome: Outcome) =>
  writeOutcome(deps, step, isContainer(step.module) ? { ...outcome, endedAtMs: deps.nowMs() } : outcome);

/** Synchronous callers wait only for this step, or for an expression over this step and previous ones; the flow continues. */
async function storeEarlyReturn({ jobs }: EndStepDeps, { flow }: StepContext, early: ValueRef | undefined): Promise<void> {
  if (early) await jobs.update(flow.id, { earlyReturn: early }, { attr: "state", eq: "running" });
}

/** The early return of the flow, if this step decides it. The journal does not contain the result of the step yet. Throws `ExpressionError`. */
async function evaluateEarlyReturn(
  deps: EndStepDeps,
  step: StepContext,
  { result }: Pick<SucceededResult, "result">,
): Promise<ValueRef | undefined> {
  const { plan, module, scope } = step;
  const { early_return: earlyReturn } = plan.value;
  if (!earlyReturn || scope.name !== ROOT) return undefined;
  const { after, expression } = await findEarlyReturn(plan.index, earlyReturn);
  if (after !== module.id || expression === undefined) return after === module.id ? result : undefined;
  const ownResult = { [module.id]: await loadFlowValue(deps, step, result) };
  const value = await createEvaluator(deps, step, { beforeRun: [], others: [expression] }, ownResult).value("early_return", expression);
  return storeFlowValue(deps, step, value);
}

/** Records that the module stops its list. The end of the list is written before the outcome that refers to it. */
export async function stopList(deps: EndStepDeps, step: StepContext, { result, details, skip }: StoppedResult): Promise<StepState> {
  await writeEnd(deps, step, { reason: "stopped", module: step.module.id, result, ...(skip ? { skip } : {}) });
  const outcome: Outcome = { state: "success", transition: "stop", result, ...retriesOf(step), ...details };
  await recordOutcome(deps, step, outcome);
  return nextState(deps, step, outcome);
}

/** The result of a module whose stop predicate holds. A message turns the stop into a failure, unless `skip_if_stopped` is set. */
export async function stoppedBy(
  deps: EndStepDeps,
  step: StepContext,
  done: SucceededResult,
  { predicate, value }: { predicate: StopAfterIf; value: unknown },
): Promise<StepResult> {
  const { expr, skip_if_stopped: skip, error_message: message, error_include_result: include } = predicate;
  const details = done.details ?? {};
  if (skip || message === undefined || message === null) return { status: "stopped", result: done.result, details, skip: skip ?? false };
  const error = {
    name: "EarlyStopError",
    message: message === "" ? `stop after if: ${expr}` : message,
    step_id: step.module.id,
    ...(include ? { result: value } : {}),
  };
  return { status: "failed", result: await storeFlowValue(deps, step, { error }), details };
}

/** Records the failure of a module, and that of its list unless the flow continues. The end of the list is written before the outcome. */
export async function failStep(
  deps: EndStepDeps,
  step: StepContext,
  { result, details, handled, canceled }: FailedResult,
): Promise<StepState> {
  const { module, scope, plan } = step;
  const isLast = scope.modules.at(-1)?.id === module.id;
  // The failure of the last module is that of the list, whatever the module allows. So is that of a preprocessor, which may authenticate the
  // request.
  const continues = module.continue_on_error === true && !isLast && !isFailureModule(step) && module.id !== PREPROCESSOR;
  // The result of the failure module is found through its outcome.
  if (!continues && !isFailureModule(step)) {
    const job = details?.job === undefined ? {} : { job: details.job };
    const seen = handled && plan.value.failure_module ? { handled } : {};
    await writeEnd(deps, step, { reason: "failed", module: module.id, result, ...job, ...seen, ...(canceled ? { canceled } : {}) });
  }
  const outcome: Outcome = { state: "failure", transition: continues ? "next" : "fail", result, ...retriesOf(step), ...details };
  if (continues) await storeEarlyReturn(deps, step, await evaluateEarlyReturn(deps, step, { result }).catch(errorAsValue(deps, step)));
  await recordOutcome(deps, step, outcome);
  return nextState(deps, step, outcome);
}

/** The step has already failed, and the flow continues: the callers receive the error of the expression. */
const errorAsValue = (deps: EndStepDeps, step: StepContext) => async (error: unknown) => {
  if (!(error instanceof ExpressionError)) throw error;
  return (await failedWith(deps, step, error)).result;
};

/** The jobs of the failed attempts, as a field of the outcome. */
export const retriesOf = ({ progress: { failed: retries } }: StepContext) => (retries?.length ? { retries } : {});
