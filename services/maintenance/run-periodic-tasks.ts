/** A task that housekeeping runs in each tick. Two ticks at once, or a repeated one, do nothing twice. */
export interface PeriodicTask {
  name: string;
  /** Runs until it has nothing to do, or until `untilMs` (by the real clock, epoch ms). Returns how much it did, by kind. */
  run(untilMs: number): Promise<Record<string, number>>;
}

interface TickOptions {
  /** When the tick must be over (by the real clock, epoch ms). */
  untilMs: number;
  onTaskFailed(name: string, error: unknown): void;
}

/** Each task leaves at least this much of the budget to each task after it. */
const RESERVED_MS = 2000;

export interface TickResult {
  counts: Record<string, number>;
  /** Names of the tasks that failed. */
  failed: string[];
}

/**
 * Runs all tasks, one after the other. A task that fails does not stop the others, and a task that has much to do leaves time for
 * them: what it could not do is done by the next tick.
 */
export async function runPeriodicTasks(tasks: readonly PeriodicTask[], { untilMs, onTaskFailed }: TickOptions): Promise<TickResult> {
  const result: TickResult = { counts: {}, failed: [] };
  for (const [index, { name, run }] of tasks.entries()) {
    try {
      Object.assign(result.counts, await run(untilMs - RESERVED_MS * (tasks.length - 1 - index)));
    } catch (error) {
      onTaskFailed(name, error);
      result.failed.push(name);
    }
  }
  return result;
}
