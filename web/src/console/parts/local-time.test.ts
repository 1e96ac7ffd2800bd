import { afterEach, expect, it } from "vitest";
import { setTimeZone } from "../../shared/time/time.ts";
import { fromLocalTime, toLocalTime } from "./local-time.ts";

it("a time is the same after a field for local times has shown it, to the minute", () => {
  const at = "2026-07-02T03:04:00.000Z";
  expect(toLocalTime(Date.parse(at))).toMatch(/^2026-07-0\dT\d\d:\d\d$/);
  expect(fromLocalTime(toLocalTime(Date.parse(at)))).toBe(at);
  expect([fromLocalTime(""), fromLocalTime("soon")]).toEqual([undefined, undefined]);
});

afterEach(() => setTimeZone(undefined));

it("a field for local times is in the zone in which times are shown, also when the clocks change", () => {
  setTimeZone("America/New_York");
  expect(toLocalTime(Date.parse("2026-07-02T03:04:00Z"))).toBe("2026-07-01T23:04");
  expect([fromLocalTime("2026-07-01T23:04"), fromLocalTime("2026-01-01T23:04")]).toEqual([
    "2026-07-02T03:04:00.000Z",
    "2026-01-02T04:04:00.000Z",
  ]);
  expect(fromLocalTime("2026-07-02T03:04:00Z")).toBe("2026-07-02T03:04:00.000Z");
});
