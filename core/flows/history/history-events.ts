import type { FlowModule, FlowValue } from "../../../contract/flows/flow-value.ts";
import { isLoop, isParallel, isPlain, listBodyModules, listInnerScopes, listNestedModules, ROOT } from "../scopes.ts";

/** The history of an execution may have 25,000 events. Another execution continues the flow long before that. */
export const HISTORY_EVENTS = 8000;
/** Modules outside loops share one history, because another execution can continue only between iterations. */
const STRAIGHT_EVENTS = 25_000;

/** The number of events of one module, and of beginning and ending a list. */
interface Counted {
  module: (module: FlowModule) => number;
  list: number;
}
/** A task and a choice, plus events for a failure, a wait and a second attempt. */
const PER_MODULE = 20;
const most: Counted = { module: () => PER_MODULE, list: PER_MODULE };
/** A task alone has five events. An iteration has two, plus a task and a choice in a sequential loop. */
const usual: Counted = { module: (module) => (isPlain(module) ? 7 : PER_MODULE), list: 9 };

/** Estimates the number of events of a list of modules that runs once. Loops in the list count their iterations themselves. */
export function estimateEvents(modules: readonly FlowModule[], counted = usual): number {
  return modules.reduce((sum, module) => {
    if (isLoop(module)) return sum + counted.module(module);
    const inner = listInnerScopes(module, { name: ROOT, modules, loops: [], inside: [] });
    return sum + counted.module(module) + inner.reduce((all, scope) => all + estimateEvents(scope.modules, counted), 0);
  }, counted.list);
}

/** Counts the events up to the deepest inner list, with one iteration of each loop around it. */
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

/**
 * The number of iterations of an inner loop for which each iteration of a parallel loop reserves events, unless this would limit the parallel
 * iterations.
 */
const INNER_ITERATIONS = 10;

/** Whether loops are inside a list at any depth. They count the events of their iterations themselves. */
export const hasLoops = (modules: readonly FlowModule[]): boolean => listNestedModules(modules).some(isLoop);

/** The events that a list needs in one execution to make progress: those of its modules, and of one iteration of each loop inside. */
const countNeeded = (modules: readonly FlowModule[]): number =>
  estimateEvents(modules) + (hasLoops(modules) ? eventsBelow(modules, usual) : 0);

/**
 * Returns the number of iterations of a parallel loop that may begin in one round, at least one, so that each has enough events. `width`: the
 * number of iterations that run at once.
 */
export function countParallelIterations(loop: FlowModule, eventsSoFar: number, width: number): number {
  const body = listBodyModules(loop);
  const left = HISTORY_EVENTS - eventsSoFar;
  const fitting = (events: number) => Math.max(1, Math.floor(left / events));
  if (!hasLoops(body)) return fitting(estimateEvents(body));
  const neededEvents = estimateEvents(body) + INNER_ITERATIONS * eventsBelow(body, usual);
  return Math.min(fitting(countNeeded(body)), Math.max(width, fitting(neededEvents)));
}

/** Returns the events of an execution after a round of parallel lists, if each of them uses as few as possible. */
export const countRoundEvents = (lists: readonly (readonly FlowModule[])[], eventsSoFar: number): number =>
  eventsSoFar + lists.reduce((sum, modules) => sum + countNeeded(modules), 0);

/**
 * Returns the number of events with which each list of a round begins. Lists that run in parallel write one history, but do not see the events of
 * each other. Lists with loops therefore get equal shares of the remaining events, and begin as if all other events had been used.
 */
export function countEventsBefore(lists: readonly (readonly FlowModule[])[], eventsSoFar: number): number {
  if (!lists.some(hasLoops)) return countRoundEvents(lists, eventsSoFar);
  const most = (count: (modules: readonly FlowModule[]) => number) => largest(lists.map(count));
  const share = Math.max(Math.floor((HISTORY_EVENTS - eventsSoFar) / lists.length), most(countNeeded));
  return HISTORY_EVENTS - share + most((modules) => estimateEvents(modules));
}

/**
 * Describes the reason for which a flow can never end, however often another execution continues it. Returns `undefined` if its size is
 * acceptable.
 */
export function describeSizeProblem({ modules }: FlowValue): string | undefined {
  if (estimateEvents(modules, most) > STRAIGHT_EVENTS) {
    return `The flow is too large: at most ${STRAIGHT_EVENTS / PER_MODULE - 1} steps are allowed outside loops. Move some of them into a separate flow.`;
  }
  if (eventsBelow(modules, most) > HISTORY_EVENTS) {
    return `The flow is too large: at most ${HISTORY_EVENTS / PER_MODULE - 1} steps are allowed in a loop, including those of its enclosing loops. Move some of them into a separate flow.`;
  }
  return undefined;
}
