/** The time between two reads of the newest runs. */
export interface Pace {
  everyMs: number;
  /** The result of the last read, to compare. */
  found: string;
}

const FASTEST_MS = 4_000;
/** A list that changes all the time is read less often after some minutes, which limits the price of a page that stays open. */
const FASTEST_LATER_MS = 12_000;
const SLOWEST_MS = 30_000;
const SLOWING = 1.5;
/** Reaches the later pace after six minutes. */
const PART_OF_OPEN_TIME = 1 / 30;

export const firstPace: Pace = { everyMs: FASTEST_MS, found: "" };

/** Returns the next pace: fast while the list changes, and slower with each read that finds nothing new. */
export function nextPace(before: Pace, found: string, openMs: number): Pace {
  const fastestMs = Math.min(FASTEST_LATER_MS, Math.max(FASTEST_MS, openMs * PART_OF_OPEN_TIME));
  const everyMs = found === before.found ? Math.min(before.everyMs * SLOWING, SLOWEST_MS) : fastestMs;
  return { everyMs, found };
}
