import { describe, expect, it } from "vitest";
import { isOver, refetchIntervalMs } from "./refetch-interval.ts";

describe("refetchIntervalMs", () => {
  it.each(["approved", "rejected", "expired", "canceled"] as const)(
    "the refetches of a request that is %s stop once its run has ended",
    (state) => {
      for (const run_state of ["succeeded", "failed", "canceled", "skipped"]) {
        expect([isOver({ state, run_state }), refetchIntervalMs({ state, run_state }, 0)]).toEqual([true, undefined]);
      }
      expect(isOver({ state, run_state: "running" })).toBe(false);
    },
  );

  it("the refetches continue while a decision is possible, whatever the state of the run", () => {
    for (const state of ["open", "waiting"] as const) expect(refetchIntervalMs({ state, run_state: "suspended" }, 3)).toBeGreaterThan(0);
  });

  it("the interval grows with each fetch without a change, up to 20 seconds", () => {
    for (const state of ["open", "waiting", "approved"] as const) {
      const times = Array.from({ length: 50 }, (_, unchanged) => refetchIntervalMs({ state, run_state: "running" }, unchanged) ?? 0);
      expect(times).toEqual([...times].sort((a, b) => a - b));
      expect(times.at(-1)).toBeLessThanOrEqual(20_000);
    }
  });
});
