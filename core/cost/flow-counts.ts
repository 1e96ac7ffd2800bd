import type { FlowModule } from "../../contract/flows/flow-value.ts";
import { isContainer, isLoop, isParallel, isPlain, waitsForTaskToken } from "../flows/scopes.ts";

/** The counts of a flow's executions, or of a part of them. */
export interface FlowCounts {
  /** State transitions. */
  transitions: number;
  /** Calls of `step` that run no script. */
  calls: number;
  /** Jobs of steps. */
  jobs: number;
}
export const NO_COUNTS: FlowCounts = { transitions: 0, calls: 0, jobs: 0 };

export const addCounts = (a: FlowCounts, b: FlowCounts): FlowCounts => ({
  transitions: a.transitions + b.transitions,
  calls: a.calls + b.calls,
  jobs: a.jobs + b.jobs,
});
export const multiplyCounts = ({ transitions, calls, jobs }: FlowCounts, by: number): FlowCounts => ({
  transitions: transitions * by,
  calls: calls * by,
  jobs: jobs * by,
});

/** The iterations of a parallel loop in one round are limited by the history of an execution. A round has at least this many short ones. */
const PER_ROUND = 400;

/**
 * Counts the states of a module that has run, as the compiler of state machines builds them (`statemachines/modules.ts`): a task, then a Choice state
 * unless the module is plain. `lists`: the number of its iterations or branches that began. Their steps are not counted.
 */
export function countModule(
  module: FlowModule,
  { attempts, lists, hasJob }: { attempts: number; lists: number; hasJob: boolean },
): FlowCounts {
  if (isPlain(module)) return { transitions: 1, calls: hasJob ? 0 : 1, jobs: hasJob ? 1 : 0 };
  const each = isContainer(module) ? countContainer(module, lists) : countTask(module, hasJob);
  const waits = attempts - 1 + (module.sleep ? 1 : 0);
  return addCounts(multiplyCounts(each, attempts), { ...NO_COUNTS, transitions: waits });
}

function countTask(module: FlowModule, hasJob: boolean): FlowCounts {
  // A state waits for the token; then the task is entered again.
  const again = waitsForTaskToken(module) ? 1 : 0;
  return { transitions: 2 + 3 * again, calls: (hasJob ? 0 : 1) + 2 * again, jobs: hasJob ? 1 : 0 };
}

/** A sequential list is one round of a task and a choice, and another round ends the module. Parallel ones share a Map or Parallel state. */
function countContainer(module: FlowModule, lists: number): FlowCounts {
  const rounds = isParallel(module) ? (isLoop(module) ? Math.ceil(lists / PER_ROUND) : 1) : lists;
  return { transitions: 2 * (rounds + 1) + (isParallel(module) ? rounds : 0), calls: rounds + 1, jobs: 0 };
}

/** The size of a segment in states: a task that runs its modules, and a choice. */
export const SEGMENT_COUNTS: FlowCounts = { transitions: 2, calls: 0, jobs: 0 };
/** The state with which an execution ends. */
export const END_COUNTS: FlowCounts = { transitions: 1, calls: 0, jobs: 0 };
