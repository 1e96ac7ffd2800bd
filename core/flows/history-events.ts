import type { FlowModule, FlowValue } from "../../contract/flows/flow-value.ts";
import { isLoop, isParallel, isPlain, listBodyModules, listInnerScopes, ROOT } from "./scopes.ts";

/** An execution's history may have 25,000 events; long before that another execution goes on with the flow. */
export const HISTORY_EVENTS = 8000;
/** What stands outside of loops has all of a history: only between iterations can another execution go on. */
const STRAIGHT_EVENTS = 25_000;

/** Of one module, and of beginning and ending a list of them. */
interface Counted {
  module: (module: FlowModule) => number;
  list: number;
}
/** A task and a choice, with room for a failure, a wait and a second attempt. */
const PER_MODULE = 20;
const most: Counted = { module: () => PER_MODULE, list: PER_MODULE };
/** A task alone makes five; an iteration two, and where they follow one another a task and a choice. */
const usual: Counted = { module: (module) => (isPlain(module) ? 7 : PER_MODULE), list: 9 };

/** About how many events a list of modules makes when it runs once. Loops in it count their iterations themselves. */
export function estimateEvents(modules: readonly FlowModule[], counted = usual): number {
  return modules.reduce((sum, module) => {
    if (isLoop(module)) return sum + counted.module(module);
    const inner = listInnerScopes(module, { name: ROOT, modules, loops: [], inside: [] });
    return sum + counted.module(module) + inner.reduce((all, scope) => all + estimateEvents(scope.modules, counted), 0);
  }, counted.list);
}

/** What is counted on the way to the deepest list inside, when each loop on it runs one iteration. */
function eventsBelow(modules: readonly FlowModule[], counted: Counted): number {
  return largest(
    modules.map((module) => {
      const lists = listInnerScopes(module, { name: ROOT, modules, loops: [], inside: [] }).map((scope) => scope.modules);
      const below = largest(lists.map((list) => eventsBelow(list, counted)));
      if (module.value.type === "branchone") return below;
      if (isParallel(module) && !isLoop(module)) return lists.length * estimateEvents(lists[0] ?? [], counted) + below;
      return largest(lists.map((list) => estimateEvents(list, counted) + eventsBelow(list, counted)));
    }),
  );
}
const largest = (numbers: readonly number[]) => numbers.reduce((most, number) => Math.max(most, number), 0);

/** How many iterations of a parallel loop may begin together, so that what is inside of each has its own events left; one at least. */
export function countParallelIterations(loop: FlowModule, eventsSoFar: number): number {
  const body = listBodyModules(loop);
  return Math.max(1, Math.floor((HISTORY_EVENTS - eventsSoFar - eventsBelow(body, usual)) / estimateEvents(body)));
}

/** Why a flow could never come to its end, however often another execution goes on with it; `undefined` where nothing stands against it. */
export function describeSizeProblem({ modules }: FlowValue): string | undefined {
  if (estimateEvents(modules, most) > STRAIGHT_EVENTS) {
    return `The flow is too large: at most ${STRAIGHT_EVENTS / PER_MODULE - 1} steps are allowed outside loops. Move some of them into a separate flow.`;
  }
  if (eventsBelow(modules, most) > HISTORY_EVENTS) {
    return `The flow is too large: at most ${HISTORY_EVENTS / PER_MODULE - 1} steps are allowed in a loop, including those of its enclosing loops. Move some of them into a separate flow.`;
  }
  return undefined;
}
