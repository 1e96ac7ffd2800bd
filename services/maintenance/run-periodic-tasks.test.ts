import { describe, expect, it } from "vitest";
import { type PeriodicTask, runPeriodicTasks } from "./run-periodic-tasks.ts";

const counting = (name: string): PeriodicTask => ({ name, run: async () => ({ [name]: 1 }) });
const failing = (name: string, error: Error): PeriodicTask => ({ name, run: () => Promise.reject(error) });

describe("runPeriodicTasks", () => {
  it("runs every task although one of them fails, and returns the name of the failed task", async () => {
    const error = new Error("unreadable");
    const reported: unknown[] = [];
    const result = await runPeriodicTasks([counting("first"), failing("second", error), counting("third")], {
      untilMs: 0,
      onTaskFailed: (...failure) => reported.push(failure),
    });
    expect(result).toEqual({ counts: { first: 1, third: 1 }, failed: ["second"] });
    expect(reported).toEqual([["second", error]]);
  });

  it("reserves time for the tasks that follow, and gives the last task all remaining time", async () => {
    const given: number[] = [];
    const task = (name: string): PeriodicTask => ({
      name,
      run: async (untilMs) => {
        given.push(untilMs);
        return {};
      },
    });
    await runPeriodicTasks([task("first"), task("second"), task("third")], { untilMs: 35_000, onTaskFailed: () => undefined });
    expect(given).toEqual([31_000, 33_000, 35_000]);
  });
});
