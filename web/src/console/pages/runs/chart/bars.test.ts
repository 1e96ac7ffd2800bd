import { expect, it } from "vitest";
import { barsOf } from "./bars.ts";

it("a chart has a bar for each part of its time, also for those without runs", () => {
  const bars = barsOf({
    from: "2026-01-01T00:30:00Z",
    to: "2026-01-01T03:00:00Z",
    bucket: 3600,
    partial: false,
    buckets: [{ start: "2026-01-01T01:00:00Z", counts: { failed: 1, succeeded: 3 }, p50_ms: 5, p95_ms: 9 }],
    error_kinds: 0,
    errors: [],
  });
  expect(bars.map(({ total }) => total)).toEqual([0, 4, 0]);
  expect(bars[1]).toEqual({
    fromMs: Date.parse("2026-01-01T01:00:00Z"),
    toMs: Date.parse("2026-01-01T02:00:00Z"),
    counts: [
      ["succeeded", 3],
      ["failed", 1],
    ],
    total: 4,
    p50Ms: 5,
    p95Ms: 9,
  });
});
