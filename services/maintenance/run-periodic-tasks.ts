/** A task that housekeeping runs in each tick. Concurrent or repeated ticks do nothing twice. */
export interface PeriodicTask {
  name: string;
  /** Runs until its work is done or until `untilMs` (real clock, epoch ms). Returns how much it did, by kind. */
  run(untilMs: number): Promise<Record<string, number>>;
}

interface TickOptions {
  /** When the tick must end (real clock, epoch ms). */
  untilMs: number;
  onTaskFailed(name: string, error: unknown): void;
}

/** Each task leaves at least this much time for each task after it. */
const RESERVED_MS = 2000;

export interface TickResult {
  counts: Record<string, number>;
  /** Names of the tasks that failed. */
  failed: string[];
}

/**
 * Runs all tasks, one after the other. A task that fails does not stop the others, and a long task leaves time for them: the next tick does
 * the rest of its work.
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
