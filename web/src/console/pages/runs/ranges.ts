import type { Search } from "../../data/address.ts";
import { fromLocalTime } from "../../parts/local-time.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The quick ranges, by their names in the address. */
export const ranges = { "15m": 15 * MINUTE_MS, "1h": HOUR_MS, "24h": DAY_MS, "7d": 7 * DAY_MS, "30d": 30 * DAY_MS } as const;
export type RangeName = keyof typeof ranges;

/** The time that the page shows. Absent ends are open. */
export interface TimeWindow {
  from: string | undefined;
  to: string | undefined;
}

export const rangeOf = ({ range }: Search): RangeName | undefined =>
  range !== undefined && Object.hasOwn(ranges, range) ? (range as RangeName) : undefined;

/** Returns the window of the address. A quick range begins at a full minute, so that it stays the same query for a while. */
export function windowOf(search: Search, nowMs: number): TimeWindow {
  const range = rangeOf(search);
  if (range === undefined) return { from: fromLocalTime(search["from"] ?? ""), to: fromLocalTime(search["to"] ?? "") };
  const fromMs = Math.floor((nowMs - ranges[range]) / MINUTE_MS) * MINUTE_MS;
  return { from: new Date(fromMs).toISOString(), to: undefined };
}

/** The window of the chart. Without a begin, it shows the last day. */
export interface ChartWindow {
  from: string;
  /** The length of a bar, in seconds. */
  bucket: number;
}

export function chartWindow({ from, to }: TimeWindow, nowMs: number): ChartWindow {
  const toMs = to === undefined ? nowMs : Date.parse(to);
  const fromMs = from === undefined ? Math.floor((toMs - DAY_MS) / MINUTE_MS) * MINUTE_MS : Date.parse(from);
  return { from: new Date(fromMs).toISOString(), bucket: barSeconds(toMs - fromMs) };
}

/** The lengths of bars in a chart, in seconds. */
const STEPS_S = [1, 5, 10, 30, 60, 300, 600, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 86_400, 7 * 86_400, 31 * 86_400];
const MOST_BARS = 60;

/** Returns the length of a bar, in seconds, with which a window has at most 60 bars. */
const barSeconds = (windowMs: number): number => STEPS_S.find((seconds) => windowMs / (seconds * 1000) <= MOST_BARS) ?? STEPS_S.at(-1) ?? 1;
