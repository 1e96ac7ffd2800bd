import { defined } from "../../../../contract/defined.ts";
import type { FlowModule } from "../../../../contract/flows/flow-value.ts";
import { HISTORY_EVENTS } from "../../../../core/flows/history/history-events.ts";
import { FAILURE } from "../../../../core/flows/journal.ts";
import { bodyScope, branchScope, type Scope } from "../../../../core/flows/scopes.ts";
import type { SegmentCall, StepState } from "../../../../core/flows/step-call.ts";
import { executeModule } from "../execute-module.ts";
import { continueInNextExecution } from "../lists/dispatch-list.ts";
import { loadStepContext } from "../load-step-context.ts";
import type { RunTaskDeps } from "../run-task.ts";
import type { StepContext } from "../step-context.ts";
import { StepFailed, transitionTo, waitOn } from "../transitions.ts";
import { runBatch } from "./run-batch.ts";

/** A call begins no module after this time, so that the longest script ends within the function's time limit. */
const BEGIN_WITHIN_MS = 30_000;
/** The events that one call of a segment adds to the history: a task, a choice, a wait. */
const CALL_EVENTS = 15;
/** The outcomes that end a module, and with it its segment. */
const DONE: ReadonlySet<string> = new Set(["next", "stop", "fail"]);

/** One call of a segment. */
interface SegmentRun {
  state: StepState;
  untilMs: number;
}
interface ModulePlace {
  id: string;
  scope: Scope;
  path: string;
}

/**
 * Runs adjacent modules of one list, and all lists inside them, as their state machine would. It returns when there is something to wait for. The
 * next call continues from the journal.
 */
export async function runSegment(deps: RunTaskDeps, { segment, until, scope: name, state }: SegmentCall): Promise<StepState> {
  const { step } = await loadStepContext(deps, { module: segment, scope: name, state });
  const { scope, path } = step;
  const [from, to] = [segment, until].map((moduleId) => scope.modules.findIndex(({ id }) => id === moduleId)) as [number, number];
  // The lists inside add no events to the history.
  const run = { state: { ...state, path, events: 0 }, untilMs: deps.nowMs() + BEGIN_WITHIN_MS };
  const left = await runList(deps, run, { scope, path }, scope.modules.slice(from, to + 1));
  const { outcome = "next", seconds = 0, module, scope: waitingScope } = left;
  const events = state.events + CALL_EVENTS;
  if (DONE.has(outcome)) return transitionTo(step, outcome);
  if (events > HISTORY_EVENTS) return continueInNextExecution(deps, step);
  if (outcome === "wait") {
    const waiting = { ...defined({ module, scope: waitingScope }) };
    return transitionTo(step, outcome, { events, path: left.path, ...waiting });
  }
  return outcome === "more" ? transitionTo(step, outcome, { events }) : { ...waitOn(deps, step, "pause", seconds), events };
}

async function runList(
  deps: RunTaskDeps,
  run: SegmentRun,
  { scope, path }: { scope: Scope; path: string },
  modules: readonly FlowModule[],
): Promise<StepState> {
  const completed = new Set<string>();
  for (const [index, { id }] of modules.entries()) {
    if (completed.has(id)) continue;
    const runTogether = (step: StepContext) => runBatch(deps, step, modules.slice(index), completed);
    const left = await runModule(deps, run, { id, scope, path }, runTogether);
    if (left.outcome !== "next") return left;
  }
  return { ...run.state, outcome: "next" };
}

/** Runs a list inside the segment. The failure module handles a failure in it first. */
async function runInnerList(
  deps: RunTaskDeps,
  run: SegmentRun,
  step: StepContext,
  { name, path }: { name: string; path: string },
): Promise<StepState> {
  const scope = step.plan.index.scopes.get(name);
  if (!scope) throw new Error(`The flow has no list ${name}.`);
  const left = await runList(deps, run, { scope, path }, scope.modules);
  if (left.outcome !== "fail" || !step.plan.value.failure_module) return left;
  const handled = await runModule(deps, run, { id: FAILURE, scope, path });
  return DONE.has(handled.outcome ?? "") ? left : handled;
}

/** Runs a module until it has ended or must wait. `runTogether` runs it together with adjacent modules, if that is possible. */
async function runModule(
  deps: RunTaskDeps,
  run: SegmentRun,
  { id, scope, path }: ModulePlace,
  runTogether?: (step: StepContext) => Promise<StepState | undefined>,
): Promise<StepState> {
  for (;;) {
    const { state } = run;
    if (deps.nowMs() > run.untilMs) return { ...state, outcome: "more" };
    const loaded = await loadStepContext(deps, { module: id, scope: scope.name, state: { ...state, path } });
    const step = { ...loaded.step, inSegment: true };
    const execute = async () => (loaded.items.size === 0 && (await runTogether?.(step))) || executeModule(deps, step, loaded.items);
    const answer = await execute().catch(failedState(step));
    const { outcome = "next", seconds = 0 } = answer;
    if (DONE.has(outcome)) return answer;
    if (outcome === "wait") return { ...answer, module: id, scope: scope.name };
    const [, branch] = /^branch (.*)$/.exec(outcome) ?? [];
    if (outcome === "iterate" || branch !== undefined) {
      const name = branch === undefined ? bodyScope(id) : branchScope(id, branch);
      const left = await runInnerList(deps, run, step, { name, path: answer.path });
      // The module itself interprets the end of its list.
      if (!DONE.has(left.outcome ?? "")) return left;
    } else if (seconds > 0) return answer;
    else if (outcome !== "retry") throw new Error(`Module ${id} cannot end with the outcome ${outcome} in a segment.`);
  }
}

/** The error that makes a state machine handle a failure has the same effect here. */
const failedState = (step: StepContext) => (error: unknown) => {
  if (error instanceof StepFailed) return transitionTo(step, "fail");
  throw error;
};
