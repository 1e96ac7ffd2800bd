/** Workers that take jobs from a queue that is never empty, `batch` at a time, and run them in parallel. */
export interface Workers {
  count: number;
  batch: number;
}

/** Returns the duration of the next job in seconds. `random` is in [0, 1). */
export type Jobs = (random: number) => number;

/** A tenth of the jobs lasts a minute, the others a second. */
export const mixed: Jobs = (random) => (random < 0.1 ? 60 : 1);
export const short: Jobs = () => 1;

/** The simulated time in seconds, long compared with every job. */
const HORIZON_S = 4 * 3600;

/**
 * Simulates a queue, event by event and without a clock: a worker receives its next messages when the longest job of the previous batch has
 * ended. Returns the number of jobs that end per second.
 */
export function simulateQueue({ count, batch }: Workers, jobs: Jobs, random: () => number): number {
  let ended = 0;
  for (let worker = 0; worker < count; worker += 1) {
    for (let atS = 0; ; ) {
      let longestS = 0;
      for (let job = 0; job < batch; job += 1) longestS = Math.max(longestS, jobs(random()));
      atS += longestS;
      if (atS > HORIZON_S) break;
      ended += batch;
    }
  }
  return ended / HORIZON_S;
}

/** The executions of functions that these workers and the runners of their jobs occupy. */
export const executionsOf = ({ count, batch }: Workers): number => count * (1 + batch);
