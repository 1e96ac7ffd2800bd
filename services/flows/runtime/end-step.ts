import type { StopAfterIf } from "../../../contract/flow-value.ts";
import type { Outcome } from "../../../core/flows/journal.ts";
import { earlyAfter } from "../../../core/flows/names.ts";
import { isPlain, ROOT } from "../../../core/flows/scopes.ts";
import type { StepState } from "../../../core/flows/step-call.ts";
import type { ValueRef } from "../../../core/jobs/value-ref.ts";
import { type Evaluator, ExpressionError, evaluator as evaluatorFor } from "./expressions/evaluator.ts";
import { goTo, isFailureModule, loadFlowValue, type StepContext, storeFlowValue, writeEnd, writeOutcome } from "./step-context.ts";

/** Thrown by a step whose failure is written down, so that its state machine goes where failures go. */
export class StepFailed extends Error {
  override readonly name = "StepFailed";
}

/** How a module's own work ended. */
export interface StepResult {
  ok: boolean;
  result: ValueRef;
  /** What else its outcome says. */
  also?: Partial<Outcome>;
  /** A step inside has stopped what this module stands in. */
  stopped?: boolean;
  skip?: boolean | undefined;
  /** It failed in a list inside, where the failure module has had its turn. */
  handled?: boolean;
  /** It failed because nobody approved in time: the flow counts as canceled. */
  canceled?: boolean | undefined;
  /** Nothing of the module ran, and nobody is asked about it. */
  unasked?: boolean;
}

/** A module that has done all that it is there for: what it sleeps for comes after. */
export async function continueAfter(step: StepContext, expressions: Evaluator, done: StepResult): Promise<StepState> {
  const { sleep } = step.module;
  try {
    const result = sleep ? await loadFlowValue(step, done.result) : undefined;
    const seconds = sleep ? Number((await expressions.transform(sleep, { result })) ?? 0) : 0;
    return await succeed(step, done, seconds);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return failStep(step, await failureResult(step, error));
  }
}

/** The failure of what could not be evaluated. */
export async function failureResult(
  step: StepContext,
  { name, message }: { name: string; message: string },
  also: Partial<Outcome> = {},
): Promise<StepResult> {
  return { ok: false, result: await storeFlowValue(step, { error: { name, message, step_id: step.module.id } }), also };
}

async function succeed(step: StepContext, { result, also }: StepResult, seconds: number): Promise<StepState> {
  const outcome: Outcome = {
    state: "success",
    goes: "next",
    result,
    ...attempts(step),
    ...also,
    ...(seconds > 0 ? { sleepUntilMs: step.working.nowMs() + seconds * 1000 } : {}),
  };
  await writeOutcome(step, outcome);
  await answerEarly(step, outcome);
  return nextState(step, outcome);
}

/** Synchronous callers wait for this step alone, or for what an expression makes of it and those before it; the flow goes on. */
async function answerEarly(step: StepContext, { result }: Outcome): Promise<void> {
  const { working, flow, plan, module, scope } = step;
  const { early_return: wanted } = plan.value;
  if (!wanted || scope.name !== ROOT || earlyAfter(plan.index, wanted) !== module.id) return;
  const early = wanted === module.id ? result : await evaluatedEarly(step, wanted);
  if (early) await working.jobs.change(flow.id, { early }, { attr: "state", eq: "running" });
}

/** Where it cannot be evaluated, its callers wait for the flow's end. */
async function evaluatedEarly(step: StepContext, expression: string): Promise<ValueRef | undefined> {
  try {
    return await storeFlowValue(step, await evaluatorFor(step, [expression]).value(expression));
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return undefined;
  }
}

export async function stopFlow(
  step: StepContext,
  { result, also }: StepResult,
  { skip }: { skip?: boolean | undefined },
): Promise<StepState> {
  await writeEnd(step, { how: "stopped", by: step.module.id, result, ...(skip ? { skip } : {}) });
  const outcome: Outcome = { state: "success", goes: "stop", result, ...attempts(step), ...also };
  await writeOutcome(step, outcome);
  return nextState(step, outcome);
}

/** `skip_if_stopped` wins over a message, which makes of stopping a failure. */
export async function stopFlowAs(step: StepContext, done: StepResult, predicate: StopAfterIf, result: unknown): Promise<StepState> {
  const { expr, skip_if_stopped: skip, error_message: message, error_include_result: include } = predicate;
  if (skip || message === undefined || message === null) return stopFlow(step, done, { skip: skip ?? false });
  const error = {
    name: "EarlyStopError",
    message: message === "" ? `stop after if: ${expr}` : message,
    step_id: step.module.id,
    ...(include ? { result } : {}),
  };
  return failStep(step, { ok: false, result: await storeFlowValue(step, { error }), also: done.also ?? {} });
}

export async function failStep(step: StepContext, { result, also, handled, canceled }: StepResult): Promise<StepState> {
  const { module, scope } = step;
  const isLast = scope.modules.at(-1)?.id === module.id;
  // A failure that nobody comes after is the flow's.
  const goesOn = module.continue_on_error === true && !isLast && !isFailureModule(step);
  // What the failure module yields is the list's result, and found by its outcome.
  if (!goesOn && !isFailureModule(step)) {
    const job = also?.job === undefined ? {} : { job: also.job };
    const seen = handled && hasFailureModule(step) ? { handled } : {};
    await writeEnd(step, { how: "failed", by: module.id, result, ...job, ...seen, ...(canceled ? { canceled } : {}) });
  }
  const outcome: Outcome = { state: "failure", goes: goesOn ? "next" : "fail", result, ...attempts(step), ...also };
  await writeOutcome(step, outcome);
  return nextState(step, outcome);
}

const hasFailureModule = ({ plan }: StepContext) => Boolean(plan.value.failure_module);
export const attempts = ({ progress: { failed: retries } }: StepContext) => (retries?.length ? { retries } : {});

/** What a module's outcome means for the state machine, now and whenever it is asked again. */
export function nextState(step: StepContext, { goes, sleepUntilMs = 0 }: Outcome): StepState {
  const { module, working } = step;
  if (goes === "fail" && isPlain(module)) throw new StepFailed(`The step ${module.id} has failed.`);
  const sleepS = Math.ceil((sleepUntilMs - working.nowMs()) / 1000);
  return goes === "next" && sleepS > 0 ? goTo(step, "sleep", { s: sleepS }) : goTo(step, goes);
}
