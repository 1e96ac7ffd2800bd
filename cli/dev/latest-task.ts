/** Runs one task at a time, always the newest one. */
export class LatestTask {
  readonly #onError: (error: unknown) => void;
  #controller = new AbortController();
  #last: Promise<void> = Promise.resolve();

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Aborts the current task, and starts another one after its end. */
  replace(task: (signal: AbortSignal) => Promise<void>): void {
    this.#controller.abort();
    this.#controller = new AbortController();
    const { signal } = this.#controller;
    this.#last = this.#last.then(() => (signal.aborted ? undefined : task(signal))).catch(this.#onError);
  }

  /** Aborts the current task and waits for its end. */
  async close(): Promise<void> {
    this.#controller.abort();
    await this.#last;
  }
}
