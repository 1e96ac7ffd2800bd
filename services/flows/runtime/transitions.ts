import type { Outcome } from "../../../core/flows/journal.ts";
import { isPlain } from "../../../core/flows/scopes.ts";
import type { StepState } from "../../../core/flows/step-call.ts";
import { flowRemainingS } from "../../../core/jobs/record/lifecycle.ts";
import type { Uses } from "../../uses.ts";
import type { StepContext } from "./step-context.ts";

/** A step whose failure is in the journal. Throwing it makes the state machine handle the failure. */
export class StepFailed extends Error {
  override readonly name = "StepFailed";
}

/** Returns the state with which the state machine continues: the Choice state after the task follows `outcome`. */
export function transitionTo({ state, path }: StepContext, outcome: string, change: Partial<StepState> = {}): StepState {
  const { seconds: _, indices: __, width: ___, module: ____, scope: _____, ...pointers } = state;
  return { ...pointers, path, ...change, outcome };
}

/** The same for a transition before which the state machine waits, but never longer than the flow may still last. */
export function waitOn({ nowMs }: Uses<"nowMs">, step: StepContext, outcome: string, seconds: number): StepState {
  return transitionTo(step, outcome, { seconds: Math.min(seconds, flowRemainingS(step.flow, nowMs())) });
}

/** The rest of the delay before the next attempt; `undefined` if the attempt may begin. The journal contains the time of the next attempt. */
export function waitBeforeRetry(deps: Uses<"nowMs">, step: StepContext): StepState | undefined {
  const seconds = Math.ceil(((step.progress.retryAtMs ?? 0) - deps.nowMs()) / 1000);
  return seconds > 0 ? waitOn(deps, step, "retry", seconds) : undefined;
}

/** The state that follows from a recorded outcome, at once and whenever the module is entered again. Throws `StepFailed`. */
export function nextState(deps: Uses<"nowMs">, step: StepContext, { transition, sleepUntilMs = 0 }: Outcome): StepState {
  if (transition === "fail" && isPlain(step.module)) throw new StepFailed(`Step ${step.module.id} failed.`);
  const seconds = Math.ceil((sleepUntilMs - deps.nowMs()) / 1000);
  return transition === "next" && seconds > 0 ? waitOn(deps, step, "sleep", seconds) : transitionTo(step, transition);
}
