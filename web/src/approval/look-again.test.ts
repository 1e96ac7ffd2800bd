import { describe, expect, it } from "vitest";
import { isOver, lookAgainMs } from "./look-again.ts";

describe("looking again", () => {
  it.each(["approved", "rejected", "expired", "canceled"] as const)("ends for what is %s once the run has ended", (state) => {
    for (const run_state of ["succeeded", "failed", "canceled", "skipped"]) {
      expect([isOver({ state, run_state }), lookAgainMs({ state, run_state }, 0)]).toEqual([true, undefined]);
    }
    expect(isOver({ state, run_state: "running" })).toBe(false);
  });

  it("goes on while somebody can still decide, whatever the run's state", () => {
    for (const state of ["open", "waiting"] as const) expect(lookAgainMs({ state, run_state: "suspended" }, 3)).toBeGreaterThan(0);
  });

  it("asks ever less often, and never less than every 20 seconds", () => {
    for (const state of ["open", "waiting", "approved"] as const) {
      const times = Array.from({ length: 50 }, (_, looks) => lookAgainMs({ state, run_state: "running" }, looks) ?? 0);
      expect(times).toEqual([...times].sort((a, b) => a - b));
      expect(times.at(-1)).toBeLessThanOrEqual(20_000);
    }
  });
});
