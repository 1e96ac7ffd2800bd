import { expect, it } from "vitest";
import { dateText, exactText, leftText, recordedText, setTimeZone, shownZone } from "./time.ts";

const MINUTE = 60_000;

it.each([
  [30_000, "less than a minute"],
  [MINUTE, "1 min"],
  [59 * MINUTE, "59 min"],
  [60 * MINUTE, "1 h 0 min"],
  [125 * MINUTE, "2 h 5 min"],
  [24 * 60 * MINUTE, "1 day 0 h"],
  [360 * 24 * 60 * MINUTE + 90 * MINUTE, "360 days 1 h"],
])("the remaining time of %d ms is written as %s", (ms, text) => {
  expect(leftText(ms)).toBe(text);
});

it.each([
  [-5 * MINUTE, "5 minutes ago"],
  [0, "now"],
  // The clock of the service is ahead.
  [30_000, "now"],
  [3 * 60 * MINUTE, "in 3 hours"],
])("a time that is %d ms from now is %s", (ms, text) => {
  expect(recordedText(1_000_000_000 + ms, 1_000_000_000)).toBe(text);
});

it("times are shown in the chosen zone, and in that of the browser otherwise", () => {
  const browsers = shownZone();
  const noon = "2026-01-02T12:00:00Z";
  setTimeZone("Asia/Kolkata");
  expect([shownZone() === browsers, dateText(noon), exactText(noon)]).toEqual([
    false,
    expect.stringContaining("5:30"),
    expect.stringContaining("5:30:00"),
  ]);
  setTimeZone("Mars/Base");
  expect(shownZone()).toBe(browsers);
});
