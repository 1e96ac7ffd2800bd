import { estimateEvents, HISTORY_EVENTS } from "../../../../core/flows/history/history-events.ts";
import { usesName } from "../../../../core/flows/references.ts";
import type { StepState } from "../../../../core/flows/step-call.ts";
import { type CompleteStepDeps, completeStep } from "../complete-step.ts";
import { loadFlowValue } from "../flow-values.ts";
import type { StepContext } from "../step-context.ts";
import { failedWith } from "../step-result.ts";
import { transitionTo } from "../transitions.ts";
import { completeWithResults, loadListResults, skipsFailure } from "./collect-results.ts";
import { continueInNextExecution, dispatchList } from "./dispatch-list.ts";
import { findListResults, type ListResult, placeAt } from "./list-results.ts";

/** Only its own predicate can stop a while loop without steps. */
const ENDLESS = { name: "EndlessLoop", message: "A while loop without steps never ends. Add a step to it." };
const EMPTY_ITERATIONS = 1000;

/** Runs the lists inside a module one after another. Each call finds the first list that has not ended, and names it as the next one to run. */
export async function runInOrder(deps: CompleteStepDeps, step: StepContext, count: number): Promise<StepState> {
  const { module, state } = step;
  const loops = module.value.type !== "branchall";
  for (let index = step.progress.index ?? 0; index < count; index += 1) {
    const list = placeAt(step, index);
    if (isEndless(step, list.scope.modules.length, count, index)) return completeStep(deps, step, await failedWith(deps, step, ENDLESS));
    const [ended] = await findListResults(deps, step, [list]);
    if (!ended) {
      const events = state.events + estimateEvents(list.scope.modules);
      if (loops && events > HISTORY_EVENTS) return continueInNextExecution(deps, step);
      await dispatchList(deps, step, { index });
      return transitionTo(step, loops ? "iterate" : `branch ${index}`, { path: list.path, events });
    }
    if (ended.status === "continued") return continueInNextExecution(deps, step);
    if (ended.status === "failed" && !skipsFailure(module, index)) return completeWithResults(deps, step, index + 1, { status: "failed" });
    if (ended.status === "stopped") {
      // Stopping an iteration ends its loop; stopping a branch also stops the enclosing list.
      return completeWithResults(deps, step, index + 1, loops ? { status: "succeeded" } : { status: "stopped", skip: ended.skip });
    }
    if (loops && (await stopsLoop(deps, step, ended, index))) {
      return completeWithResults(deps, step, index + 1, { status: "succeeded" });
    }
  }
  return completeWithResults(deps, step, count, { status: "succeeded" });
}

function isEndless({ module }: StepContext, modules: number, count: number, index: number): boolean {
  return count === Number.POSITIVE_INFINITY && modules === 0 && index >= (module.stop_after_if ? EMPTY_ITERATIONS : 0);
}

async function stopsLoop(deps: CompleteStepDeps, step: StepContext, ended: ListResult, index: number): Promise<boolean> {
  const { stop_after_if: predicate } = step.module;
  if (!predicate) return false;
  const result = await loadFlowValue(deps, step, ended.result);
  const all_iters = (await usesName(predicate.expr, "all_iters")) ? (await loadListResults(deps, step, index + 1)).values : [];
  return deps.expressions.holds("stop_after_if", predicate.expr, { result, all_iters });
}
