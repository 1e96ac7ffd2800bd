import { Cron } from "croner";
import { SvcError } from "../../contract/errors.ts";

/** The timing of a schedule: a cron expression of five or six fields (seconds first), and the zone of its clock. */
export interface CronTiming {
  schedule: string;
  timezone: string;
  /** `v1` counts the days of the week from 1 (Sunday), `v2` from 0 or 7 (Sunday). Default: `v2`. */
  cronVersion?: "v1" | "v2" | undefined;
}

/** A checked timing. Times of day are computed as if the clock of the zone were UTC, so that this module contains all rules for clock changes. */
export interface CronClock {
  /** Returns the first matching time of day after another one, both as if they were UTC, or `undefined` if none follows. */
  nextWallMs(afterWallMs: number): number | undefined;
  /** Returns the offset of the zone's clock from UTC at an instant. */
  offsetMs(atMs: number): number;
  /** The minutes or hours start with `*`: the job follows real time through a clock change. */
  followsRealTime: boolean;
}

/** An expression that does not match within this time never fires. The days of the week and leap years repeat after 28 years, or 40 around 2100. */
const HORIZON_MS = 41 * 365.25 * 86_400_000;
const DAY_MS = 86_400_000;
/** Vixie cron gives special treatment to clock changes of at most this size. */
const CHANGE_MS = 3 * 3600_000;

/** Checks a timing. Throws `schedule.invalid` with the field. */
export function parseTiming({ schedule, timezone, cronVersion = "v2" }: CronTiming): CronClock {
  const offsetMs = readZone(timezone);
  const fields = schedule.trim().split(/\s+/);
  if (fields.length !== 5 && fields.length !== 6) {
    throw invalid("schedule", `it must have five fields, or six with seconds first, and it has ${fields.length}`);
  }
  const pattern = fields.join(" ");
  const next = parsePattern(pattern, cronVersion);
  try {
    if (next(0) === undefined) throw invalid("schedule", "it never fires");
  } catch (error) {
    if (error instanceof SvcError) throw error;
    throw invalid("schedule", describeFault((error as Error).message, cronVersion));
  }
  const [minutes = "", hours = ""] = fields.slice(-5);
  return { nextWallMs: next, offsetMs, followsRealTime: isWildcard(minutes) || isWildcard(hours) };
}

/** The library counts days and months, and in `v1` days of the week, from 0. */
function describeFault(message: string, cronVersion: "v1" | "v2"): string {
  const text = message.replace(/^CronPattern: /, "");
  const isShifted = /^Invalid value for (month|day):/.test(text) || (cronVersion === "v1" && /^Invalid value for dayOfWeek:/.test(text));
  return isShifted ? text.replace(/-?\d+$/, (value) => String(Number(value) + 1)) : text;
}

const invalid = (field: string, reason: string) => new SvcError("schedule.invalid", { field, reason });

const isWildcard = (field: string) => field.startsWith("*") || field.startsWith("?");

/** Returns the function that finds the next matching time of day. Parsing an expression takes longer than finding a time. */
function parsePattern(pattern: string, cronVersion: "v1" | "v2"): CronClock["nextWallMs"] {
  const parse = (stopMs: number) => {
    // With a zone, even UTC, the library formats every candidate time.
    const options = { utcOffset: 0, mode: "5-or-6-parts", sloppyRanges: true, alternativeWeekdays: cronVersion === "v1" } as const;
    return { stopMs, cron: new Cron(pattern, { ...options, stopAt: new Date(stopMs) }) };
  };
  let parsed: ReturnType<typeof parse> | undefined;
  return (afterWallMs) => {
    // The library counts whole seconds.
    const from = Math.floor(afterWallMs / 1000) * 1000;
    const endMs = from + HORIZON_MS;
    // A much later end would prolong the search for an expression that never fires.
    if (!parsed || parsed.stopMs < endMs || parsed.stopMs > endMs + HORIZON_MS) parsed = parse(endMs + HORIZON_MS / 2);
    const nextMs = parsed.cron.nextRun(new Date(from))?.getTime();
    return nextMs !== undefined && nextMs < endMs ? nextMs : undefined;
  };
}

/** Zones by name: creating a formatter takes a millisecond. */
const zones = new Map<string, Intl.DateTimeFormat>();

function readZone(timezone: string): (atMs: number) => number {
  // `Intl` also accepts offsets such as `+02:00`, which are not zones of the IANA database.
  if (!/^[A-Za-z]/.test(timezone)) throw invalid("timezone", `${timezone || "(empty)"} is not an IANA time zone`);
  let format = zones.get(timezone);
  if (!format) {
    try {
      format = new Intl.DateTimeFormat("en-US", { timeZone: timezone, timeZoneName: "longOffset" });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw invalid("timezone", `${timezone} is not an IANA time zone`);
    }
    zones.set(timezone, format);
  }
  const zoneFormat = format;
  return (atMs) => readOffset(zoneFormat, atMs);
}

function readOffset(format: Intl.DateTimeFormat, atMs: number): number {
  const name = format.formatToParts(atMs).find(({ type }) => type === "timeZoneName")?.value ?? "GMT";
  const [, sign, hours = "0", minutes = "0", seconds = "0"] = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(name) ?? [];
  const size = (Number(hours) * 60 + Number(minutes)) * 60_000 + Number(seconds) * 1000;
  return sign === "-" ? -size : size;
}

/**
 * Returns the first tick after an instant (epoch ms), or `undefined` if none follows. Clock changes are as in Vixie cron: a tick in the skipped
 * hour happens once, right after the change, and a tick in the repeated hour happens once, in its first pass. A job whose minutes or hours start
 * with `*` follows real time: it does not run in the skipped hour, and runs in both passes of the repeated one.
 */
export function findNextTick(clock: CronClock, afterMs: number): number | undefined {
  return clock.followsRealTime ? nextInRealTime(clock, afterMs) : nextOnClock(clock, afterMs);
}

/** Each matching time of day happens once. The instants are in the order of the times of day. */
function nextOnClock(clock: CronClock, afterMs: number): number | undefined {
  let wallMs = clock.nextWallMs(afterMs + clock.offsetMs(afterMs));
  while (wallMs !== undefined) {
    const { first, changeMs } = locate(clock, wallMs);
    const atMs = first ?? changeMs;
    if (atMs > afterMs) return atMs;
    // In the second pass of a repeated hour, its times of day have already occurred.
    wallMs = clock.nextWallMs(wallMs);
  }
  return undefined;
}

function nextInRealTime(clock: CronClock, afterMs: number): number | undefined {
  const { nextWallMs, offsetMs } = clock;
  let tick: number | undefined;
  let wallMs = nextWallMs(afterMs + offsetMs(afterMs));
  while (wallMs !== undefined && tick === undefined) {
    const { first, second, changeMs } = locate(clock, wallMs);
    tick = [first, second].find((atMs) => atMs !== undefined && atMs > afterMs);
    // Times of day in the skipped hour do not occur.
    if (tick === undefined) wallMs = nextWallMs(first === undefined ? Math.max(wallMs, changeMs + offsetMs(changeMs) - 1000) : wallMs);
  }
  // The clock may be set back before, so that earlier times of day occur again.
  const before = offsetMs(afterMs);
  if (offsetMs(afterMs + CHANGE_MS) >= before) return tick;
  const changeMs = findChange(clock, afterMs, afterMs + CHANGE_MS);
  const again = nextWallMs(changeMs + offsetMs(changeMs) - 1000);
  const againMs = again === undefined ? undefined : again - offsetMs(changeMs);
  return againMs !== undefined && (tick === undefined || againMs < tick) ? againMs : tick;
}

/** Finds the instants at which the clock shows a time of day: none in a skipped hour, two in a repeated one. */
function locate(clock: CronClock, wallMs: number): { first?: number; second?: number; changeMs: number } {
  const { offsetMs } = clock;
  const [earlier, later] = [offsetMs(wallMs - DAY_MS), offsetMs(wallMs + DAY_MS)];
  const [first, second] = [wallMs - earlier, wallMs - later].filter((atMs) => offsetMs(atMs) + atMs === wallMs);
  if (first === undefined) return { changeMs: findChange(clock, wallMs - DAY_MS, wallMs + DAY_MS) };
  return { first, ...(second === undefined || second === first ? {} : { second }), changeMs: first };
}

/** Returns the first instant with the offset of `toMs`: there is one clock change between both. */
function findChange({ offsetMs }: CronClock, fromMs: number, toMs: number): number {
  const after = offsetMs(toMs);
  let [low, high] = [fromMs, toMs];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetMs(middle) === after) high = middle;
    else low = middle;
  }
  return high;
}
