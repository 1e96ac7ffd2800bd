import type { StopAfterIf } from "../../../contract/flow-value.ts";
import type { Kept, Outcome } from "../../../core/flows/journal.ts";
import { earlyAfter } from "../../../core/flows/names.ts";
import { isPlain, ROOT } from "../../../core/flows/scopes.ts";
import type { FlowState } from "../../../core/flows/step-call.ts";
import { type Evaluator, ExpressionError, evaluator as evaluatorFor } from "./expressions/evaluator.ts";
import { goTo, type Here, isFailureModule, keepValue, keptValue, writeEnd, writeOutcome } from "./step-context.ts";

/** Thrown by a step whose failure is written down, so that its state machine goes where failures go. */
export class StepFailed extends Error {
  override readonly name = "StepFailed";
}

/** How a module's own work ended. */
export interface Done {
  ok: boolean;
  result: Kept;
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
export async function goOnAfter(here: Here, evaluator: Evaluator, done: Done): Promise<FlowState> {
  const { sleep } = here.module;
  try {
    const result = sleep ? await keptValue(here, done.result) : undefined;
    const seconds = sleep ? Number((await evaluator.transform(sleep, { result })) ?? 0) : 0;
    return await succeed(here, done, seconds);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return fail(here, await failed(here, error));
  }
}

/** The failure of what could not be evaluated. */
export async function failed(here: Here, { name, message }: { name: string; message: string }, also: Partial<Outcome> = {}): Promise<Done> {
  return { ok: false, result: await keepValue(here, { error: { name, message, step_id: here.module.id } }), also };
}

async function succeed(here: Here, { result, also }: Done, seconds: number): Promise<FlowState> {
  const outcome: Outcome = {
    state: "success",
    goes: "next",
    result,
    ...attempts(here),
    ...also,
    ...(seconds > 0 ? { sleepUntilMs: here.working.nowMs() + seconds * 1000 } : {}),
  };
  await writeOutcome(here, outcome);
  await answerEarly(here, outcome);
  return answer(here, outcome);
}

/** Synchronous callers wait for this step alone, or for what an expression makes of it and those before it; the flow goes on. */
async function answerEarly(here: Here, { result }: Outcome): Promise<void> {
  const { working, flow, plan, module, scope } = here;
  const { early_return: wanted } = plan.value;
  if (!wanted || scope.name !== ROOT || earlyAfter(plan.index, wanted) !== module.id) return;
  const early = wanted === module.id ? result : await evaluatedEarly(here, wanted);
  if (early) await working.jobs.change(flow.id, { early }, { attr: "state", eq: "running" });
}

/** Where it cannot be evaluated, its callers wait for the flow's end. */
async function evaluatedEarly(here: Here, expression: string): Promise<Kept | undefined> {
  try {
    return await keepValue(here, await evaluatorFor(here, [expression]).value(expression));
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return undefined;
  }
}

export async function stop(here: Here, { result, also }: Done, { skip }: { skip?: boolean | undefined }): Promise<FlowState> {
  await writeEnd(here, { how: "stopped", by: here.module.id, result, ...(skip ? { skip } : {}) });
  const outcome: Outcome = { state: "success", goes: "stop", result, ...attempts(here), ...also };
  await writeOutcome(here, outcome);
  return answer(here, outcome);
}

/** `skip_if_stopped` wins over a message, which makes of stopping a failure. */
export async function stopAs(here: Here, done: Done, predicate: StopAfterIf, result: unknown): Promise<FlowState> {
  const { expr, skip_if_stopped: skip, error_message: message, error_include_result: include } = predicate;
  if (skip || message === undefined || message === null) return stop(here, done, { skip: skip ?? false });
  const error = {
    name: "EarlyStopError",
    message: message === "" ? `stop after if: ${expr}` : message,
    step_id: here.module.id,
    ...(include ? { result } : {}),
  };
  return fail(here, { ok: false, result: await keepValue(here, { error }), also: done.also ?? {} });
}

export async function fail(here: Here, { result, also, handled, canceled }: Done): Promise<FlowState> {
  const { module, scope } = here;
  const isLast = scope.modules.at(-1)?.id === module.id;
  // A failure that nobody comes after is the flow's.
  const goesOn = module.continue_on_error === true && !isLast && !isFailureModule(here);
  // What the failure module yields is the list's result, and found by its outcome.
  if (!goesOn && !isFailureModule(here)) {
    const job = also?.job === undefined ? {} : { job: also.job };
    const seen = handled && hasFailureModule(here) ? { handled } : {};
    await writeEnd(here, { how: "failed", by: module.id, result, ...job, ...seen, ...(canceled ? { canceled } : {}) });
  }
  const outcome: Outcome = { state: "failure", goes: goesOn ? "next" : "fail", result, ...attempts(here), ...also };
  await writeOutcome(here, outcome);
  return answer(here, outcome);
}

const hasFailureModule = ({ plan }: Here) => Boolean(plan.value.failure_module);
export const attempts = ({ progress: { failed: retries } }: Here) => (retries?.length ? { retries } : {});

/** What a module's outcome means for the state machine, now and whenever it is asked again. */
export function answer(here: Here, { goes, sleepUntilMs = 0 }: Outcome): FlowState {
  const { module, working } = here;
  if (goes === "fail" && isPlain(module)) throw new StepFailed(`The step ${module.id} has failed.`);
  const sleepS = Math.ceil((sleepUntilMs - working.nowMs()) / 1000);
  return goes === "next" && sleepS > 0 ? goTo(here, "sleep", { s: sleepS }) : goTo(here, goes);
}
