import {
  countEventsBefore,
  countParallelIterations,
  countRoundEvents,
  HISTORY_EVENTS,
  hasLoops,
} from "../../../../core/flows/history/history-events.ts";
import { listNestedModules } from "../../../../core/flows/scopes.ts";
import type { StepState } from "../../../../core/flows/step-call.ts";
import type { CompleteStepDeps } from "../complete-step.ts";
import type { StepContext } from "../step-context.ts";
import { transitionTo } from "../transitions.ts";
import { completeWithResults } from "./collect-results.ts";
import { continueInNextExecution, dispatchList } from "./dispatch-list.ts";
import { findListResults, pathInside, placeAt } from "./list-results.ts";

interface Rounds {
  /** The number of lists. */
  count: number;
  /** The number of concurrent lists, and the maximum for one state of the machine. */
  width: number;
  most: number;
}

/**
 * Runs the lists inside a module in parallel, in rounds: each is one Map or Parallel state. A Map state that limits its concurrency itself
 * receives many lists.
 */
export async function runInRounds(deps: CompleteStepDeps, entered: StepContext, { count, width, most }: Rounds): Promise<StepState> {
  const step = withEventsOfRound(entered);
  const { module, progress, state } = step;
  const loops = module.value.type !== "branchall";
  for (let index = progress.index ?? 0; index < count; index += most) {
    const round = Array.from({ length: Math.min(most, count - index) }, (_, offset) => index + offset);
    const places = round.map((each) => placeAt(step, each));
    const ends = await findListResults(deps, step, places);
    if (ends.some((end) => end?.status === "continued")) {
      // The Choice state of an earlier release's machine would continue with the next step. A failed execution is also replaced by another one.
      if (!loops && !step.continues) throw new Error(`The branches of module ${module.id} continue in another execution.`);
      return continueInNextExecution(deps, step);
    }
    const open = round.filter((_, offset) => ends[offset] === undefined);
    const next = loops ? open.slice(0, countParallelIterations(module, state.events, width)) : open;
    if (next.length === 0) continue;
    const lists = next.map((each) => placeAt(step, each).scope.modules);
    if (loops && countRoundEvents(lists, state.events) > HISTORY_EVENTS && state.events > 0) return continueInNextExecution(deps, step);
    await dispatchList(deps, step, { index: loops ? (next[0] ?? index) : index });
    const change = { path: pathInside(step), events: countEventsBefore(lists, state.events) };
    return loops
      ? transitionTo(step, "map", { ...change, indices: next.map(String), ...(step.slides ? { width } : {}) })
      : transitionTo(step, "parallel", change);
  }
  return completeWithResults(deps, step, count);
}

/** Counts the events of the round that ended before this call. If its lists contain loops, they may have used all events of the execution. */
function withEventsOfRound(step: StepContext): StepContext {
  const { module, progress, state } = step;
  const hasRun = progress.index !== undefined && progress.execution === state.execution;
  const inside = listNestedModules([module]).filter((each) => each !== module);
  if (!hasRun || !hasLoops(inside)) return step;
  return { ...step, state: { ...state, events: Math.max(state.events, HISTORY_EVENTS) } };
}
