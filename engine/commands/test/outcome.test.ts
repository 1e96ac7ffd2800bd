import { describe, expect, it } from "vitest";
import { type Counted, lastLines, type OutsideError, readOutcome, sumOf } from "./outcome.ts";

type State = "passed" | "failed" | "skipped" | "pending";

interface Faults {
  errors?: number;
  hookErrors?: number;
  note?: string;
  state?: "passed" | "queued";
}

function aModule(states: State[], { errors = 0, hookErrors = 0, note, state = "passed" }: Faults = {}): Counted {
  return {
    relativeModuleId: "a.test.ts",
    state: () => state,
    errors: () => Array(errors).fill(new Error("load")),
    children: {
      allTests: () => states.map((state, at) => ({ fullName: `test ${at}`, result: () => ({ state, note }) })),
      allSuites: () => [{ fullName: "suite", errors: () => Array(hookErrors).fill(new Error("hook")) }],
    },
  };
}

const tally = (testModule: Counted | undefined, errors: OutsideError[] = [], { isNamed = false } = {}) =>
  readOutcome([{ moduleId: "/checkout/a.test.ts", project: { name: "rules" }, testModule }], errors, { isInterrupted: false, isNamed });

describe("tally", () => {
  it("closes with passed and failed alone when nothing was skipped", () => {
    expect(lastLines(tally(aModule(["passed", "passed", "failed"])))).toEqual(["2 passed, 1 failed"]);
  });

  it("counts skipped tests and keeps their reasons", () => {
    const total = tally(aModule(["skipped"], { note: "needs Docker" }));
    expect(lastLines(total, ["flaky: b.test.ts"])).toEqual([
      "skipped: a.test.ts > test 0: needs Docker",
      "flaky: b.test.ts",
      "0 passed, 0 failed, 1 skipped",
    ]);
  });

  it("prints no reason for tests that are skipped because others were chosen by name", () => {
    const total = tally(aModule(["passed", "skipped"]), [], { isNamed: true });
    expect(lastLines(total)).toEqual(["1 passed, 0 failed, 1 skipped"]);
  });

  it("counts a file that did not load, a failing hook, an error outside all tests and an unfinished test as failures", () => {
    expect(sumOf(tally(aModule([], { errors: 1 }))).failed).toBe(1);
    expect(sumOf(tally(aModule(["passed"], { hookErrors: 2 }))).failed).toBe(1);
    expect(sumOf(tally(aModule(["passed"]), [{}, {}, {}])).failed).toBe(3);
    expect(sumOf(tally(aModule(["pending"]))).failed).toBe(1);
  });

  it("counts a file that never began, or whose tests are unknown, as a failure", () => {
    expect(sumOf(tally(undefined)).failed).toBe(1);
    expect(sumOf(tally(aModule([], { state: "queued" }))).failed).toBe(1);
  });

  it("assigns an error outside all tests to the file that it names", () => {
    const late = { VITEST_TEST_PATH: "/checkout/a.test.ts" };
    const dead = { cause: new Error("Worker exited unexpectedly while running test files /checkout/b.test.ts, /checkout/a.test.ts") };
    const other = { cause: new Error("Worker exited unexpectedly while running test file /checkout/a.test.ts.more") };
    const { files, otherErrors } = tally(aModule(["passed"]), [late, dead, other]);
    expect([files[0]?.failed, otherErrors]).toEqual([2, 1]);
  });
});
