import { describe, expect, it } from "vitest";
import { type Counted, lastLine, tally } from "./tally.ts";

type State = "passed" | "failed" | "skipped" | "pending";

function aModule(
  states: State[],
  { errors = 0, hookErrors = 0, note }: { errors?: number; hookErrors?: number; note?: string } = {},
): Counted {
  return {
    relativeModuleId: "a.test.ts",
    errors: () => Array(errors).fill(new Error("load")),
    children: {
      allTests: () => states.map((state, at) => ({ fullName: `test ${at}`, result: () => ({ state, note }) })),
      allSuites: () => [{ fullName: "suite", errors: () => Array(hookErrors).fill(new Error("hook")) }],
    },
  };
}

describe("tally", () => {
  it("closes with passed and failed alone when nothing was skipped", () => {
    expect(lastLine(tally([aModule(["passed", "passed", "failed"])], 0))).toBe("2 passed, 1 failed");
  });

  it("counts skipped tests and keeps their reasons", () => {
    const total = tally([aModule(["skipped"], { note: "needs Docker" })], 0);
    expect(lastLine(total)).toBe("0 passed, 0 failed, 1 skipped");
    expect(total.skipped).toEqual([{ name: "a.test.ts > test 0", reason: "needs Docker" }]);
  });

  it("counts a file that did not load, a failing hook, an error outside all tests and an unfinished test as failures", () => {
    expect(tally([aModule([], { errors: 1 })], 0).failed).toBe(1);
    expect(tally([aModule(["passed"], { hookErrors: 2 })], 0).failed).toBe(1);
    expect(tally([aModule(["passed"])], 3).failed).toBe(3);
    expect(tally([aModule(["pending"])], 0).failed).toBe(1);
  });
});
