import { describe, expect, it } from "vitest";
import { toLocalTime, toZonedTime } from "./zoned-time.ts";

describe("a time in a zone", () => {
  it.each([
    ["2026-01-02T10:00", "Europe/Berlin", "2026-01-02T10:00:00+01:00"],
    ["2026-07-02T10:00", "Europe/Berlin", "2026-07-02T10:00:00+02:00"],
    ["2026-07-02T10:00", "Asia/Kolkata", "2026-07-02T10:00:00+05:30"],
    ["2026-07-02T10:00", "America/St_Johns", "2026-07-02T10:00:00-02:30"],
    ["2026-07-02T10:00", "UTC", "2026-07-02T10:00:00+00:00"],
    // The clocks change in this night.
    ["2026-03-29T01:30", "Europe/Berlin", "2026-03-29T01:30:00+01:00"],
    ["2026-03-29T03:30", "Europe/Berlin", "2026-03-29T03:30:00+02:00"],
  ])("%s in %s is %s, and back", (local, zone, moment) => {
    expect(toZonedTime(local, zone)).toBe(moment);
    expect(toLocalTime(moment, zone)).toBe(local);
  });

  it("an unfinished text is no time", () => {
    expect(toZonedTime("", "UTC")).toBeUndefined();
    expect([toLocalTime(undefined, "UTC"), toLocalTime("soon", "UTC")]).toEqual(["", ""]);
  });
});
