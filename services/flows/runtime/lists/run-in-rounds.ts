import { countParallelIterations, estimateEvents, HISTORY_EVENTS } from "../../../../core/flows/history-events.ts";
import type { StepState } from "../../../../core/flows/step-call.ts";
import type { CompleteStepDeps } from "../complete-step.ts";
import type { StepContext } from "../step-context.ts";
import { transitionTo } from "../transitions.ts";
import { completeWithResults } from "./collect-results.ts";
import { continueInNextExecution, dispatchList } from "./dispatch-list.ts";
import { findListResults, pathInside, placeAt } from "./list-results.ts";

/** Runs the lists inside a module in parallel, `width` at a time: each round is one Map or Parallel state, and ends before the next one begins. A Map state that limits its iterations itself gets many. */
export async function runInRounds(
  deps: CompleteStepDeps,
  step: StepContext,
  { count, width }: { count: number; width: number },
): Promise<StepState> {
  const { module, progress, state } = step;
  const loops = module.value.type !== "branchall";
  for (let index = progress.index ?? 0; index < count; index += width) {
    const round = Array.from({ length: Math.min(width, count - index) }, (_, offset) => index + offset);
    const places = round.map((each) => placeAt(step, each));
    const ends = await findListResults(deps, step, places);
    if (ends.some((end) => end?.status === "continued")) return continueInNextExecution(deps, step);
    const open = round.filter((_, offset) => ends[offset] === undefined);
    const next = loops ? open.slice(0, countParallelIterations(module, state.events)) : open;
    if (next.length === 0) continue;
    const events = state.events + next.length * estimateEvents(places[0]?.scope.modules ?? []);
    if (loops && events > HISTORY_EVENTS && state.events > 0) return continueInNextExecution(deps, step);
    await dispatchList(deps, step, { index: loops ? (next[0] ?? index) : index });
    const path = pathInside(step);
    return loops
      ? transitionTo(step, "map", { path, events, indices: next.map(String) })
      : transitionTo(step, "parallel", { path, events });
  }
  return completeWithResults(deps, step, count);
}
