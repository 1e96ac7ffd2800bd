import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CronTiming, findNextTick, parseTiming } from "./cron.ts";

/** Lists the next ticks after an instant. */
function ticksAfter(timing: CronTiming, after: string, count: number): string[] {
  const clock = parseTiming(timing);
  const ticks: string[] = [];
  for (let at: number | undefined = Date.parse(after); ticks.length < count; ) {
    at = findNextTick(clock, at);
    if (at === undefined) break;
    ticks.push(new Date(at).toISOString().replace(".000Z", "Z"));
  }
  return ticks;
}

const NEW_YORK = "America/New_York";
const BERLIN = "Europe/Berlin";
/** Its clock changes by half an hour. */
const LORD_HOWE = "Australia/Lord_Howe";

describe("findNextTick through a clock change", () => {
  it.each<[string, string, string, string, string[]]>([
    // 2026-03-08: 01:59:59 EST (UTC-5) is followed by 03:00 EDT (UTC-4), at 07:00Z.
    [
      "a tick in the skipped hour happens right after the change",
      NEW_YORK,
      "30 2 * * *",
      "2026-03-07T12:00:00Z",
      ["2026-03-08T07:00:00Z", "2026-03-09T06:30:00Z"],
    ],
    [
      "several ticks in the skipped hour happen once",
      NEW_YORK,
      "15,45 2 * * *",
      "2026-03-08T06:00:00Z",
      ["2026-03-08T07:00:00Z", "2026-03-09T06:15:00Z"],
    ],
    [
      "a tick right after the change also stands for a skipped one",
      NEW_YORK,
      "0 2,3 * * *",
      "2026-03-08T06:00:00Z",
      ["2026-03-08T07:00:00Z", "2026-03-09T06:00:00Z", "2026-03-09T07:00:00Z"],
    ],
    ["an hourly tick follows real time", NEW_YORK, "30 * * * *", "2026-03-08T06:00:00Z", ["2026-03-08T06:30:00Z", "2026-03-08T07:30:00Z"]],
    [
      "a tick by the minute in a fixed hour does not happen in the skipped one",
      NEW_YORK,
      "*/30 2 * * *",
      "2026-03-08T00:00:00Z",
      ["2026-03-09T06:00:00Z", "2026-03-09T06:30:00Z"],
    ],
    [
      "every second hour follows real time",
      NEW_YORK,
      "0 */2 * * *",
      "2026-03-08T05:00:00Z",
      ["2026-03-08T08:00:00Z", "2026-03-08T10:00:00Z"],
    ],
    // 2026-11-01: 01:59:59 EDT (UTC-4) is followed by 01:00 EST (UTC-5), at 06:00Z.
    [
      "a tick in the repeated hour happens in its first pass",
      NEW_YORK,
      "30 1 * * *",
      "2026-11-01T04:00:00Z",
      ["2026-11-01T05:30:00Z", "2026-11-02T06:30:00Z"],
    ],
    ["it does not happen in the second pass", NEW_YORK, "30 1 * * *", "2026-11-01T06:10:00Z", ["2026-11-02T06:30:00Z"]],
    [
      "an hourly tick happens in both passes",
      NEW_YORK,
      "30 * * * *",
      "2026-11-01T05:00:00Z",
      ["2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z", "2026-11-01T07:30:00Z"],
    ],
    [
      "a tick by the minute happens in both passes of a fixed hour",
      NEW_YORK,
      "*/30 1 * * *",
      "2026-11-01T05:10:00Z",
      ["2026-11-01T05:30:00Z", "2026-11-01T06:00:00Z", "2026-11-01T06:30:00Z", "2026-11-02T06:00:00Z"],
    ],
    [
      "the first pass is complete before the second",
      NEW_YORK,
      "*/20 * * * *",
      "2026-11-01T05:41:00Z",
      ["2026-11-01T06:00:00Z", "2026-11-01T06:20:00Z", "2026-11-01T06:40:00Z", "2026-11-01T07:00:00Z"],
    ],
    // 2026-03-29: 02:00 CET (UTC+1) becomes 03:00 CEST (UTC+2), at 01:00Z. 2026-10-25: 03:00 CEST becomes 02:00 CET, at 01:00Z.
    [
      "a tick in the skipped hour happens right after the change",
      BERLIN,
      "0 15 2 * * *",
      "2026-03-28T12:00:00Z",
      ["2026-03-29T01:00:00Z", "2026-03-30T00:15:00Z"],
    ],
    [
      "a weekly tick in the skipped hour happens on its day",
      BERLIN,
      "30 2 * * SUN",
      "2026-03-23T00:00:00Z",
      ["2026-03-29T01:00:00Z", "2026-04-05T00:30:00Z"],
    ],
    ["an hourly tick follows real time", BERLIN, "0 * * * *", "2026-03-29T00:30:00Z", ["2026-03-29T01:00:00Z", "2026-03-29T02:00:00Z"]],
    [
      "a tick in the repeated hour happens in its first pass",
      BERLIN,
      "30 2 * * *",
      "2026-10-24T12:00:00Z",
      ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"],
    ],
    [
      "an hourly tick happens in both passes",
      BERLIN,
      "15 * * * *",
      "2026-10-25T00:00:00Z",
      ["2026-10-25T00:15:00Z", "2026-10-25T01:15:00Z", "2026-10-25T02:15:00Z"],
    ],
    [
      "a list of hours around the change happens once each",
      BERLIN,
      "0 1,2,3 * * *",
      "2026-10-24T22:00:00Z",
      ["2026-10-24T23:00:00Z", "2026-10-25T00:00:00Z", "2026-10-25T02:00:00Z"],
    ],
    // 2026-10-04: 02:00 (UTC+10:30) becomes 02:30 (UTC+11), at 15:30Z. 2026-04-05: 02:00 (UTC+11) becomes 01:30 (UTC+10:30), at 15:00Z the day before.
    [
      "a tick in the skipped half hour happens right after the change",
      LORD_HOWE,
      "15 2 * * *",
      "2026-10-03T00:00:00Z",
      ["2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z"],
    ],
    ["a tick after the skipped half hour is not moved", LORD_HOWE, "45 2 * * *", "2026-10-03T00:00:00Z", ["2026-10-03T15:45:00Z"]],
    [
      "a tick in the repeated half hour happens once",
      LORD_HOWE,
      "45 1 * * *",
      "2026-04-04T00:00:00Z",
      ["2026-04-04T14:45:00Z", "2026-04-05T15:15:00Z"],
    ],
    [
      "an hourly tick in the repeated half hour happens twice",
      LORD_HOWE,
      "45 * * * *",
      "2026-04-04T14:00:00Z",
      ["2026-04-04T14:45:00Z", "2026-04-04T15:15:00Z", "2026-04-04T16:15:00Z"],
    ],
  ])("%s (%s, %s)", (_, timezone, schedule, after, expected) => {
    expect(ticksAfter({ schedule, timezone }, after, expected.length)).toEqual(expected);
  });
});

describe("findNextTick", () => {
  it.each<[string, string, "v1" | "v2" | undefined, string[]]>([
    ["0 0 12 * * *", "UTC", undefined, ["2026-01-01T12:00:00Z", "2026-01-02T12:00:00Z"]],
    ["*/10 * * * * *", "UTC", undefined, ["2026-01-01T00:00:10Z", "2026-01-01T00:00:20Z"]],
    ["0 9 * * 1", "UTC", "v2", ["2026-01-05T09:00:00Z", "2026-01-12T09:00:00Z"]],
    ["0 9 * * 1", "UTC", undefined, ["2026-01-05T09:00:00Z"]],
    ["0 9 * * 0", "UTC", "v2", ["2026-01-04T09:00:00Z"]],
    ["0 9 * * 7", "UTC", "v2", ["2026-01-04T09:00:00Z"]],
    ["0 0 9 * * 1", "UTC", "v1", ["2026-01-04T09:00:00Z", "2026-01-11T09:00:00Z"]],
    ["0 0 9 * * 7", "UTC", "v1", ["2026-01-03T09:00:00Z"]],
    ["0 0 9 * * 2-6", "UTC", "v1", ["2026-01-01T09:00:00Z", "2026-01-02T09:00:00Z", "2026-01-05T09:00:00Z"]],
    ["0 0 9 * * MON", "UTC", "v1", ["2026-01-05T09:00:00Z"]],
    ["0 0 29 2 *", "UTC", undefined, ["2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"]],
    ["0 9 * * *", "Asia/Kathmandu", undefined, ["2026-01-01T03:15:00Z"]],
    ["0 0 1 1 *", "America/New_York", undefined, ["2026-01-01T05:00:00Z", "2027-01-01T05:00:00Z"]],
  ])("finds the ticks of %s in %s with cron %s", (schedule, timezone, cronVersion, expected) => {
    expect(ticksAfter({ schedule, timezone, cronVersion }, "2026-01-01T00:00:00Z", expected.length)).toEqual(expected);
  });

  it("returns the same tick from every instant before it, and always a later one", () => {
    const expressions = ["30 2 * * *", "15 * * * *", "*/20 1 * * *", "0 */3 * * *", "0 0 1 * *", "10 0 3 * * SUN", "0,30 1-3 * * *"];
    const zones = [NEW_YORK, BERLIN, LORD_HOWE, "America/St_Johns", "Africa/Casablanca", "UTC"];
    fc.assert(
      fc.property(
        fc.constantFrom(...expressions),
        fc.constantFrom(...zones),
        fc.integer({ min: Date.parse("2026-01-01"), max: Date.parse("2028-01-01") }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (schedule, timezone, fromMs, part) => {
          const clock = parseTiming({ schedule, timezone });
          const tick = findNextTick(clock, fromMs) ?? Number.NaN;
          expect(tick).toBeGreaterThan(fromMs);
          const between = Math.floor(fromMs + (tick - 1 - fromMs) * part);
          expect(findNextTick(clock, between)).toBe(tick);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("finds as many ticks of a fixed time as there are days, and of an hourly one as there are hours", () => {
    const year: [number, number] = [Date.parse("2026-01-01T12:00:00Z"), Date.parse("2027-01-01T12:00:00Z")];
    const count = (schedule: string, timezone: string) => {
      const clock = parseTiming({ schedule, timezone });
      let ticks = 0;
      for (let at = findNextTick(clock, year[0]); at !== undefined && at <= year[1]; at = findNextTick(clock, at)) ticks += 1;
      return ticks;
    };
    for (const zone of [NEW_YORK, BERLIN]) {
      expect(count("30 2 * * *", zone)).toBe(365);
      expect(count("30 1 * * *", zone)).toBe(365);
      expect(count("15 * * * *", zone)).toBe(365 * 24);
    }
  });
});

describe("parseTiming", () => {
  it.each([
    ["* * *", "UTC", "schedule"],
    ["", "UTC", "schedule"],
    ["0 0 0 1 1 * 2030", "UTC", "schedule"],
    ["@daily", "UTC", "schedule"],
    ["60 * * * *", "UTC", "schedule"],
    ["*/0 * * * * *", "UTC", "schedule"],
    ["*/0.5 * * * * *", "UTC", "schedule"],
    ["every day", "UTC", "schedule"],
    ["0 0 30 2 *", "UTC", "schedule"],
    ["0 0 31 4,6,9,11 *", "UTC", "schedule"],
    ["0 0 * * *", "Mars/Olympus", "timezone"],
    ["0 0 * * *", "", "timezone"],
    ["0 0 * * *", "+02:00", "timezone"],
  ])("rejects %j in %j and names the field", (schedule, timezone, field) => {
    expect(() => parseTiming({ schedule, timezone })).toThrow(
      expect.objectContaining({ code: "schedule.invalid", details: expect.objectContaining({ field }) as unknown }) as Error,
    );
  });
});

describe("the reason for a rejected expression", () => {
  it.each<[string, "v1" | "v2", string]>([
    ["0 0 1 13 *", "v2", "month: 13"],
    ["0 0 1 0 *", "v2", "month: 0"],
    ["0 0 32 * *", "v2", "day: 32"],
    ["0 0 0 * *", "v2", "day: 0"],
    ["0 24 * * *", "v2", "hour: 24"],
    ["60 * * * *", "v2", "minute: 60"],
    ["60 0 0 * * *", "v2", "second: 60"],
    ["0 0 * * 8", "v2", "dayOfWeek: 8"],
    ["0 0 * * 0", "v1", "dayOfWeek: 0"],
    ["0 0 1 2-14 *", "v2", "month: 13"],
  ])("of %j in %s names the value as it was sent", (schedule, cronVersion, reason) => {
    expect(() => parseTiming({ schedule, timezone: "UTC", cronVersion })).toThrow(
      expect.objectContaining({ details: { field: "schedule", reason: expect.stringContaining(reason) as unknown } }) as Error,
    );
  });
});
