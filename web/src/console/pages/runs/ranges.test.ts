import { describe, expect, it } from "vitest";
import { chartWindow, rangeOf, windowOf } from "./ranges.ts";

const NOW = Date.parse("2026-01-02T10:00:30Z");

describe("the window of the page of runs", () => {
  it("is a quick range that ends now, or the times of the address", () => {
    expect(windowOf({ range: "1h", from: "2026-01-01" }, NOW)).toEqual({ from: "2026-01-02T09:00:00.000Z", to: undefined });
    expect(windowOf({ from: "2026-01-01T00:00Z", to: "soon" }, NOW)).toEqual({ from: "2026-01-01T00:00:00.000Z", to: undefined });
    expect(windowOf({ range: "toString" }, NOW)).toEqual({ from: undefined, to: undefined });
    expect(rangeOf({ range: "7d" })).toBe("7d");
  });

  it("is the last day for a chart of all times", () => {
    expect(chartWindow({ from: undefined, to: undefined }, NOW)).toEqual({ from: "2026-01-01T10:00:00.000Z", bucket: 1800 });
    expect(chartWindow({ from: undefined, to: "2026-01-01T10:00:00Z" }, NOW).from).toBe("2025-12-31T10:00:00.000Z");
  });

  it.each([
    [15 * 60_000, 30],
    [3_600_000, 60],
    [86_400_000, 1800],
    [30 * 86_400_000, 12 * 3600],
    [10 * 365 * 86_400_000, 31 * 86_400],
  ])("of %d ms has bars of %d s", (windowMs, seconds) => {
    const from = new Date(NOW - windowMs).toISOString();
    expect(chartWindow({ from, to: undefined }, NOW)).toEqual({ from, bucket: seconds });
  });
});
