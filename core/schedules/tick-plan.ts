import { type CronClock, findNextTick } from "./cron.ts";

/** A tick further in the future has no job yet. */
const JOB_AHEAD_MS = 30 * 24 * 3600_000;
/** A tick that is later than this is skipped. */
const LATEST_START_MS = 15 * 60_000;
/** Housekeeping checks a schedule this long after its next tick. */
const CHECK_AFTER_MS = 15 * 60_000;

/** Returns whether a tick is near enough to have a job. */
export const hasJobAt = (tickMs: number, nowMs: number): boolean => tickMs - nowMs <= JOB_AHEAD_MS;

/**
 * Returns the time of the next housekeeping check of a schedule: when the job of its next tick must be created, or when that job must have
 * started.
 */
export const nextCheckMs = (tickMs: number, nowMs: number): number =>
  hasJobAt(tickMs, nowMs) ? Math.max(tickMs, nowMs) + CHECK_AFTER_MS : tickMs - JOB_AHEAD_MS;

/** Returns the first tick after an instant and not before `pausedUntil` (RFC 3339), in epoch ms. `undefined` if none follows. */
export function findTickAfter(clock: CronClock, afterMs: number, pausedUntil?: string | null): number | undefined {
  return findNextTick(clock, pausedUntil ? Math.max(afterMs, Date.parse(pausedUntil) - 1) : afterMs);
}

/** The decision about the job of a tick that may start now. */
export type TickPlan =
  /** It runs. Other ticks that were missed until now do not. */
  | { runs: true; nextMs: number | undefined }
  /** It is too late. `nextMs` is the last missed tick that is not too late, or the next one. */
  | { runs: false; nextMs: number | undefined; error: string };

interface DueTick {
  tickMs: number;
  /** The intended start of its job, which differs from the tick if a user started it by hand. */
  scheduledMs: number;
  nowMs: number;
  pausedUntil?: string | null | undefined;
}

/** Plans a tick: one that is at most 15 minutes late runs, on behalf of all later missed ticks too; an older one is skipped. */
export function planTick(clock: CronClock, { tickMs, scheduledMs, nowMs, pausedUntil }: DueTick): TickPlan {
  if (nowMs - scheduledMs <= LATEST_START_MS) return { runs: true, nextMs: findTickAfter(clock, Math.max(tickMs, nowMs), pausedUntil) };
  const skipped = [tickMs];
  let nextMs = findTickAfter(clock, tickMs, pausedUntil);
  while (nextMs !== undefined && nextMs < nowMs - LATEST_START_MS && skipped.length < MAX_COUNTED) {
    skipped.push(nextMs);
    nextMs = findTickAfter(clock, nextMs, pausedUntil);
  }
  if (skipped.length === MAX_COUNTED) nextMs = findTickAfter(clock, nowMs - LATEST_START_MS - 1, pausedUntil);
  for (let later = nextMs; later !== undefined && later <= nowMs; later = findTickAfter(clock, later, pausedUntil)) nextMs = later;
  return { runs: false, nextMs, error: describeSkipped(skipped) };
}

/** The number of skipped ticks that are counted. */
const MAX_COUNTED = 1000;

function describeSkipped(ticks: readonly number[]): string {
  const [first = 0, ...others] = ticks;
  const at = (atMs: number) => new Date(atMs).toISOString().replace(".000Z", "Z");
  const why = "because the service could not start them within 15 minutes";
  if (others.length === 0) return `The tick of ${at(first)} was skipped, because the service could not start it within 15 minutes.`;
  if (ticks.length === MAX_COUNTED) return `At least ${MAX_COUNTED} ticks from ${at(first)} were skipped, ${why}.`;
  return `${ticks.length} ticks from ${at(first)} to ${at(others.at(-1) ?? first)} were skipped, ${why}.`;
}
