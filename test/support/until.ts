import { setTimeout as sleep } from "node:timers/promises";

interface UntilOptions {
  timeoutMs?: number;
  /** Time between two calls. By default it grows from 40 to 700 ms, because each call costs time that the service needs. */
  everyMs?: number;
  /** Names the condition in the error. */
  what?: string;
}

const FIRST_PAUSE_MS = 40;
const LONGEST_PAUSE_MS = 700;
const GROWTH = 1.5;

/** Calls `ask` until its result is truthy, and returns the result. An error of `ask` ends the wait immediately. */
export async function until<T>(
  ask: () => T | Promise<T>,
  { timeoutMs = 60_000, everyMs, what = "the condition" }: UntilOptions = {},
): Promise<NonNullable<T>> {
  const deadlineMs = Date.now() + timeoutMs;
  for (let pauseMs = everyMs ?? FIRST_PAUSE_MS; ; pauseMs = everyMs ?? Math.min(LONGEST_PAUSE_MS, pauseMs * GROWTH)) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > deadlineMs) throw new Error(`${what} did not come within ${timeoutMs} ms`);
    await sleep(pauseMs);
  }
}
