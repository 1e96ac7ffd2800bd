import { setTimeout as sleep } from "node:timers/promises";

interface UntilOptions {
  timeoutMs?: number;
  everyMs?: number;
  /** What is waited for, as the error says it. */
  what?: string;
}

/** Asks until the answer is truthy, and gives it back; an error of `ask` ends the waiting at once. */
export async function until<T>(
  ask: () => T | Promise<T>,
  { timeoutMs = 20_000, everyMs = 50, what = "the condition" }: UntilOptions = {},
): Promise<NonNullable<T>> {
  const deadlineMs = Date.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > deadlineMs) throw new Error(`${what} did not come within ${timeoutMs} ms`);
    await sleep(everyMs);
  }
}
