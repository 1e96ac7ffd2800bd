import { expect, it } from "vitest";
import { fromLocalTime, toLocalTime } from "./local-time.ts";

it("a time is the same after a field for local times has shown it, to the minute", () => {
  const at = "2026-07-02T03:04:00.000Z";
  expect(toLocalTime(Date.parse(at))).toMatch(/^2026-07-0\dT\d\d:\d\d$/);
  expect(fromLocalTime(toLocalTime(Date.parse(at)))).toBe(at);
  expect([fromLocalTime(""), fromLocalTime("soon")]).toEqual([undefined, undefined]);
});
