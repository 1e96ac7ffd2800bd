import { describe, expect, it } from "vitest";
import { countText, pollIntervalMs } from "./waiting.ts";

const request = {
  gate_id: "g",
  run_id: "r",
  flow_id: "f",
  module_id: "ask",
  kind: "suspend",
  requested_by: "ann",
  opened_at: "2026-01-01T00:00:00.000Z",
  page: "/approve/w/g",
} as const;

describe("pollIntervalMs", () => {
  it("grows while nothing changes, up to two minutes", () => {
    expect([0, 1, 2, 50].map(pollIntervalMs)).toEqual([15_000, 22_500, 33_750, 120_000]);
  });

  it("reads at most 60 times in an hour without a change", () => {
    let elapsedMs = 0;
    let reads = 0;
    for (; elapsedMs < 3_600_000; reads++) elapsedMs += pollIntervalMs(reads);
    expect(reads).toBeLessThan(60);
  });
});

describe("countText", () => {
  it("is the number of requests, and says that more may wait", () => {
    expect(countText({ requests: [request, request], before: undefined })).toBe("2");
    expect(countText({ requests: [request], before: "x" })).toBe("1+");
  });

  it("is empty without a request", () => {
    expect(countText(undefined)).toBe("");
    expect(countText({ requests: [], before: "x" })).toBe("");
  });
});
