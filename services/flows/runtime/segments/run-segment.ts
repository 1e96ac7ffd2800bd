import type { FlowModule } from "../../../../contract/flow-value.ts";
import { HISTORY_EVENTS } from "../../../../core/flows/history.ts";
import { FAILURE } from "../../../../core/flows/journal.ts";
import { bodyScope, branchScope, type Scope } from "../../../../core/flows/scopes.ts";
import type { SegmentCall, StepState } from "../../../../core/flows/step-call.ts";
import { executeModule } from "../execute-module.ts";
import { loadStepContext } from "../load-step-context.ts";
import { again } from "../modules/container.ts";
import { goTo, type StepContext } from "../step-context.ts";
import type { StepDeps } from "../step-deps.ts";
import { StepFailed } from "../step-result.ts";
import { runBatch } from "./run-batch.ts";

/** A call begins no module after this: the longest script must end within the function's time. */
const BEGINS_MS = 30_000;
/** What one visit of a segment adds to the history: a task, a choice, a wait. */
const VISIT_EVENTS = 15;

/** On its way through a segment. */
interface Walk {
  working: StepDeps;
  state: StepState;
  untilMs: number;
}

/**
 * Runs modules of one list, and all that stands in them, as their state machine would: asks each what is next, and goes there. It leaves when
 * there is something to wait for, and finds its way back by the journal.
 */
export async function walkSegment(deps: StepDeps, { segment, until, scope: name, state }: SegmentCall): Promise<StepState> {
  const { here } = await loadStepContext(deps, { module: segment, scope: name, state });
  const { scope, at } = here;
  const [from, to] = [segment, until].map((wanted) => scope.modules.findIndex(({ id }) => id === wanted)) as [number, number];
  // Inside, no history grows.
  const walk = { working: deps, state: { ...state, at, e: 0 }, untilMs: deps.nowMs() + BEGINS_MS };
  const left = await runList(walk, scope, at, scope.modules.slice(from, to + 1));
  const { o = "next", s, m, c } = left;
  const e = state.e + VISIT_EVENTS;
  if (LEADS_ON.has(o)) return goTo(here, o);
  if (e > HISTORY_EVENTS) return again(here);
  if (o === "wait") return goTo(here, o, { e, at: left.at, m, c });
  return o === "more" ? goTo(here, o, { e }) : goTo(here, "pause", { e, s: s ?? 0 });
}
const LEADS_ON: ReadonlySet<string> = new Set(["next", "stop", "fail"]);

async function runList(walk: Walk, scope: Scope, at: string, modules: readonly FlowModule[]): Promise<StepState> {
  const ran = new Set<string>();
  for (const [index, { id }] of modules.entries()) {
    if (ran.has(id)) continue;
    const left = await runModule(walk, { id, scope, at }, (step) => runBatch(step, modules.slice(index), ran));
    if (left.o !== "next") return left;
  }
  return { ...walk.state, o: "next" };
}

/** One list inside of the segment: a failure in it is its failure module's first. */
async function runInner(walk: Walk, step: StepContext, name: string, at: string): Promise<StepState> {
  const scope = step.plan.index.scopes.get(name);
  if (!scope) throw new Error(`The flow has no list ${name}.`);
  const left = await runList(walk, scope, at, scope.modules);
  if (left.o !== "fail" || !step.plan.value.failure_module) return left;
  const mended = await runModule(walk, { id: FAILURE, scope, at });
  return LEADS_ON.has(mended.o ?? "") ? left : mended;
}

interface Place {
  id: string;
  scope: Scope;
  at: string;
}

/** Until the module says that it goes on, or has to wait. `together` runs it with its neighbours, where it can. */
async function runModule(
  walk: Walk,
  { id, scope, at }: Place,
  together?: (step: StepContext) => Promise<StepState | undefined>,
): Promise<StepState> {
  for (;;) {
    const { working, state } = walk;
    if (working.nowMs() > walk.untilMs) return { ...state, o: "more" };
    const { here: place, found } = await loadStepContext(working, { module: id, scope: scope.name, state: { ...state, at } });
    const step = { ...place, segment: true };
    const answered = async () => (found.size === 0 && (await together?.(step))) || executeModule(step, found);
    const answer = await answered().catch(failedStep(step));
    const { o = "next", s = 0 } = answer;
    if (LEADS_ON.has(o)) return answer;
    if (o === "wait") return { ...answer, m: id, c: scope.name };
    const [, branch] = /^branch (.*)$/.exec(o) ?? [];
    if (o === "iterate" || branch !== undefined) {
      const left = await runInner(walk, step, branch === undefined ? bodyScope(id) : branchScope(id, branch), answer.at);
      // How it ended is the module's to say.
      if (!LEADS_ON.has(left.o ?? "")) return left;
    } else if (s > 0) return answer;
    else if (o !== "retry") throw new Error(`The module ${id} cannot go ${o} in a segment.`);
  }
}

/** What tells a state machine of a failure tells it here. */
const failedStep = (step: StepContext) => (error: unknown) => {
  if (error instanceof StepFailed) return goTo(step, "fail");
  throw error;
};
