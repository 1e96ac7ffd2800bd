import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseTiming } from "./cron.ts";
import { parseNextRunId, toNextRunId, toRunId } from "./next-run.ts";
import { hasJobAt, nextCheckMs, planTick } from "./tick-plan.ts";

const MINUTE = 60_000;
const minutely = parseTiming({ schedule: "* * * * *", timezone: "UTC" });
const daily = parseTiming({ schedule: "0 0 * * *", timezone: "UTC" });
const START = Date.UTC(2026, 0, 2);

describe("planTick", () => {
  const plan = (clock: typeof daily, lateMs: number, more: object = {}) =>
    planTick(clock, { tickMs: START, scheduledMs: START, nowMs: START + lateMs, ...more });

  it("runs a tick that is at most 15 minutes late, and continues after now", () => {
    expect(plan(minutely, 400)).toEqual({ runs: true, nextMs: START + MINUTE });
    expect(plan(minutely, 15 * MINUTE)).toEqual({ runs: true, nextMs: START + 16 * MINUTE });
    expect(plan(daily, 15 * MINUTE)).toEqual({ runs: true, nextMs: START + 24 * 60 * MINUTE });
  });

  it("continues after the tick when the tick was started early by hand", () => {
    expect(plan(daily, -60 * MINUTE, { scheduledMs: START - 60 * MINUTE })).toEqual({ runs: true, nextMs: START + 24 * 60 * MINUTE });
  });

  it("runs an old tick that a user starts by hand", () => {
    expect(plan(daily, 60 * MINUTE, { scheduledMs: START + 60 * MINUTE })).toMatchObject({ runs: true });
  });

  it("skips an older tick, and names those that were skipped", () => {
    expect(plan(daily, 15 * MINUTE + 1)).toEqual({
      runs: false,
      nextMs: START + 24 * 60 * MINUTE,
      error: "The tick of 2026-01-02T00:00:00Z was skipped, because the service could not start it within 15 minutes.",
    });
    expect(plan(minutely, 20 * MINUTE + 1)).toEqual({
      runs: false,
      nextMs: START + 20 * MINUTE,
      error:
        "6 ticks from 2026-01-02T00:00:00Z to 2026-01-02T00:05:00Z were skipped, because the service could not start them within 15 minutes.",
    });
  });

  it("counts at most a thousand skipped ticks", () => {
    const late = plan(minutely, 7 * 24 * 60 * MINUTE);
    expect(late).toMatchObject({ runs: false, nextMs: START + 7 * 24 * 60 * MINUTE });
    expect("error" in late && late.error).toContain("At least 1000 ticks");
  });

  it("continues with a tick that is later, and never with one that is too late", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3 * 24 * 60 * MINUTE }), fc.constantFrom(minutely, daily), (lateMs, clock) => {
        const { nextMs = Number.NaN } = plan(clock, lateMs);
        expect(nextMs).toBeGreaterThan(START);
        expect(nextMs).toBeGreaterThanOrEqual(START + lateMs - 15 * MINUTE);
      }),
    );
  });

  it("does not continue before paused_until, and with the tick at that time", () => {
    const pausedUntil = new Date(START + 3 * 24 * 60 * MINUTE).toISOString();
    expect(plan(daily, 0, { pausedUntil })).toEqual({ runs: true, nextMs: Date.parse(pausedUntil) });
  });
});

it("a tick has a job 30 days ahead, and is checked when it gets one or must have started", () => {
  const days = (count: number) => count * 24 * 60 * MINUTE;
  expect([hasJobAt(START + days(30), START), hasJobAt(START + days(30) + 1, START)]).toEqual([true, false]);
  expect(nextCheckMs(START + days(365), START)).toBe(START + days(335));
  expect(nextCheckMs(START + days(2), START)).toBe(START + days(2) + 15 * MINUTE);
  expect(nextCheckMs(START - days(2), START)).toBe(START + 15 * MINUTE);
});

it("the id of a run depends on schedule and tick alone", () => {
  const [one, other] = ["0f8f3ba4-96f0-4a51-8d3b-2f6a1a0b2f11", "1f8f3ba4-96f0-4a51-8d3b-2f6a1a0b2f11"];
  expect(toRunId(one, 1)).toBe(toRunId(one, 1));
  expect(new Set([toRunId(one, 1), toRunId(one, 2), toRunId(other, 1)]).size).toBe(3);
  expect(toRunId(one, 1)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5/);
});

it("the key of a next run names its schedule", () => {
  expect(parseNextRunId(toNextRunId("demo", "f/ops/nightly"))).toEqual({ workspace: "demo", path: "f/ops/nightly" });
  expect(parseNextRunId("limit#abc")).toBeUndefined();
});
