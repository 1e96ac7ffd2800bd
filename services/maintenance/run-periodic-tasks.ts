import { reportFailure } from "../../core/telemetry/telemetry.ts";

/** A task that housekeeping runs in each tick. Concurrent or repeated ticks do nothing twice. */
export interface PeriodicTask {
  name: string;
  /** The weight of the task when the tick's time is divided; 1 by default. */
  share?: number;
  /**
   * Runs until its work is done or until `untilMs` (real clock, epoch ms), and at least one step of its work. Returns the amount of its work by
   * kind. A task that uses its whole time is called again in the same tick if time remains, and continues where it stopped.
   */
  run(untilMs: number): Promise<Record<string, number>>;
}

interface TickOptions {
  /** The time at which the tick must end (real clock, epoch ms). */
  untilMs: number;
  /** The first task: each tick begins with another one, so that a tick that always dies in one task does not starve the same others. */
  turn?: number;
  clockMs?: () => number;
  onTaskFailed(name: string, error: unknown): void;
}

/** A task that has not returned this long after its time is abandoned. */
const GRACE_MS = 3000;
/** The minimum time for another round. */
const ROUND_MS = 500;

export interface TickResult {
  counts: Record<string, number>;
  /** Names of the tasks that failed. */
  failed: string[];
}

/** A task did not return in time: an AWS call hangs. */
class TaskTimedOut extends Error {
  override readonly name = "TaskTimedOut";
}

/**
 * Runs all tasks in rounds, one after the other, until no task has work left or the time has ended. In each round, a task gets its share of the
 * remaining time, and leaves unused time to the others. A task that fails or hangs does not stop the others.
 */
export async function runPeriodicTasks(tasks: readonly PeriodicTask[], options: TickOptions): Promise<TickResult> {
  const { untilMs, turn = 0, clockMs = Date.now, onTaskFailed } = options;
  const result: TickResult = { counts: {}, failed: [] };
  const first = tasks.length === 0 ? 0 : turn % tasks.length;
  let waiting = [...tasks.slice(first), ...tasks.slice(0, first)];
  for (let round = 0; waiting.length > 0 && (round === 0 || untilMs - clockMs() >= ROUND_MS); round += 1) {
    const unfinished: PeriodicTask[] = [];
    for (const [index, task] of waiting.entries()) {
      const startMs = clockMs();
      const left = waiting.slice(index).reduce((sum, { share = 1 }) => sum + share, 0);
      const taskUntilMs = startMs + (Math.max(0, untilMs - startMs) * (task.share ?? 1)) / left;
      try {
        addCounts(result.counts, await beforeDeadline(task, taskUntilMs, taskUntilMs + GRACE_MS - startMs));
        if (clockMs() >= taskUntilMs) unfinished.push(task);
      } catch (error) {
        onTaskFailed(task.name, error);
        result.failed.push(task.name);
      }
    }
    waiting = unfinished;
  }
  return result;
}

function addCounts(all: Record<string, number>, counts: Record<string, number>): void {
  for (const [kind, count] of Object.entries(counts)) all[kind] = (all[kind] ?? 0) + count;
}

/** The longest delay of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** An abandoned task may still end, as if it belonged to another tick. */
async function beforeDeadline(task: PeriodicTask, untilMs: number, withinMs: number): Promise<Record<string, number>> {
  const run = task.run(untilMs);
  if (!(withinMs <= MAX_TIMER_MS)) return run;
  let timer: NodeJS.Timeout | undefined;
  let isLate = false;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      isLate = true;
      reject(new TaskTimedOut(`The task ${task.name} did not return within ${Math.round(withinMs)} ms.`));
    }, withinMs);
  });
  run.catch((error: unknown) => {
    if (isLate) reportFailure("A task of housekeeping failed after its time", error, { task: task.name });
  });
  try {
    return await Promise.race([run, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
