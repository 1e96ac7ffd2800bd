/** The clock of a use case. Tests give a controlled one. */
export interface Clock {
  /** Returns the current time in epoch milliseconds. */
  nowMs(): number;
  /** Resolves after this many milliseconds. */
  pause(ms: number): Promise<unknown>;
}
