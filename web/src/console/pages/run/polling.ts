import { useRef } from "react";

/** The intervals between two reads, by the time since the last change. */
const STEPS = [
  { withinMs: 10_000, everyMs: 1_000 },
  { withinMs: 60_000, everyMs: 2_000 },
  { withinMs: 300_000, everyMs: 5_000 },
];
const LONGEST_MS = 10_000;

/** Returns the interval between two reads. A run that has just changed probably changes again soon. */
export const pollMs = (sinceChangeMs: number): number => STEPS.find(({ withinMs }) => sinceChangeMs < withinMs)?.everyMs ?? LONGEST_MS;

/** Returns the interval of a query that is read repeatedly until `isDone`. A hidden page reads nothing. */
export function usePolling(isDone: () => boolean): (query: { state: { data: unknown } }) => number | false {
  const last = useRef<{ data: unknown; changedAtMs: number }>({ data: undefined, changedAtMs: 0 });
  return ({ state: { data } }) => {
    // The data of a query stays the same object while its content is the same.
    if (data !== last.current.data) last.current = { data, changedAtMs: Date.now() };
    return !isDone() && pollMs(Date.now() - last.current.changedAtMs);
  };
}
