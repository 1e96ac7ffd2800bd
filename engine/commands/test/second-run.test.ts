import { describe, expect, it } from "vitest";
import type { FileOutcome, RunOutcome } from "./outcome.ts";
import { planSecondRun } from "./second-run.ts";

const aFile = (name: string, failed = 0, passed = 1): FileOutcome => ({
  file: `/checkout/${name}.test.ts`,
  project: "unit",
  passed,
  failed,
  skipped: [],
  failedTests: [],
});
const aRun = (files: FileOutcome[], rest: Partial<RunOutcome> = {}): RunOutcome => ({
  files,
  otherErrors: 0,
  isInterrupted: false,
  isNamed: false,
  ...rest,
});
const mixed = [aFile("good"), aFile("bad", 2), aFile("worse", 1, 0)];

describe("planSecondRun", () => {
  it("repeats each failed file of a run", () => {
    expect(planSecondRun(aRun(mixed), 2)).toEqual({ files: mixed.slice(1) });
  });

  it.each([
    ["nothing failed", aRun([aFile("good"), aFile("other")])],
    ["the user interrupted the run", aRun(mixed, { isInterrupted: true })],
    ["tests were chosen by name", aRun(mixed, { isNamed: true })],
    ["the file was the only one", aRun([aFile("bad", 1)])],
  ])("repeats nothing if %s", (_why, outcome) => {
    expect(planSecondRun(outcome, 2)).toEqual({ files: [] });
  });

  it.each([
    ["no test passed the first time", aRun([aFile("one", 1, 0), aFile("two", 1, 0)])],
    ["an error occurred outside the test files", aRun(mixed, { otherErrors: 1 })],
    ["more than 2 files failed", aRun([...mixed, aFile("third", 1)])],
  ])("explains that nothing runs a second time if %s", (why, outcome) => {
    expect(planSecondRun(outcome, 2)).toEqual({ files: [], refusal: `No file runs a second time, because ${why}.` });
  });
});
