import { Refused } from "../../../shared/service.ts";

/** The attempts of a request, which together last for about half a minute. */
const ATTEMPTS = 6;
const FIRST_PAUSE_MS = 1000;

/** Returns whether a repeated request can succeed: nothing responded, or the service or the storage is busy. */
const isTemporary = (error: unknown): boolean =>
  error instanceof Refused && (error.status === 0 || error.status === 408 || error.status === 429 || error.status >= 500);

/** Returns the pause before an attempt: twice as long each time, with jitter, so that parts that failed together are not repeated together. */
export const pauseMs = (failures: number, random: number): number => FIRST_PAUSE_MS * 2 ** (failures - 1) * (0.5 + random / 2);

export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

/** Repeats a request after temporary failures. Throws the last failure, or the reason of the signal. */
export async function retry<T>(request: () => Promise<T>, { wait, signal }: { wait: Wait; signal: AbortSignal }): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      signal.throwIfAborted();
      return await request();
    } catch (error) {
      signal.throwIfAborted();
      if (failures === ATTEMPTS || !isTemporary(error)) throw error;
      await wait(pauseMs(failures, Math.random()), signal);
    }
  }
}

/** Waits, but no longer than until the browser is online again. */
export const waitOnline: Wait = (ms, signal) =>
  new Promise((resolve, reject) => {
    const ended = new AbortController();
    const end = (settle: () => void) => () => {
      clearTimeout(timer);
      ended.abort();
      settle();
    };
    const timer = setTimeout(end(resolve), ms);
    addEventListener("online", end(resolve), { signal: ended.signal });
    signal.addEventListener(
      "abort",
      end(() => reject(signal.reason)),
      { signal: ended.signal },
    );
  });
