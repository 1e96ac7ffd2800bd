import { describe, expect, it, vi } from "vitest";
import { type PeriodicTask, runPeriodicTasks } from "./run-periodic-tasks.ts";

const counting = (name: string): PeriodicTask => ({ name, run: async () => ({ [name]: 1 }) });
const failing = (name: string, error: Error): PeriodicTask => ({ name, run: () => Promise.reject(error) });
const ignoreFailures = () => undefined;

/** A clock that only the tasks advance, and a task whose work takes this time in steps of a second; without a number its work never ends. */
function workshop(startMs = 0) {
  const clock = { nowMs: startMs };
  const steps: string[] = [];
  const busy = (name: string, seconds = Number.POSITIVE_INFINITY, share = 1): PeriodicTask => {
    let left = seconds;
    return {
      name,
      share,
      run: async (untilMs) => {
        let done = 0;
        while (left > 0 && (done === 0 || clock.nowMs < untilMs)) {
          clock.nowMs += 1000;
          left -= 1;
          done += 1;
          steps.push(name);
        }
        return { [name]: done };
      },
    };
  };
  return { clock, steps, busy, options: { clockMs: () => clock.nowMs, onTaskFailed: ignoreFailures } };
}

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

  it("gives each task its share of the time although all of them always have work", async () => {
    const { busy, options, clock } = workshop();
    const { counts } = await runPeriodicTasks([busy("jobs", undefined, 4), busy("purge"), busy("sign")], { untilMs: 36_000, ...options });
    expect(counts).toEqual({ jobs: 24, purge: 6, sign: 6 });
    expect(clock.nowMs).toBe(36_000);
  });

  it("gives the time that tasks do not need to a task that has work left", async () => {
    const { busy, options } = workshop();
    const { counts } = await runPeriodicTasks([busy("jobs"), busy("purge", 2), busy("sign", 0)], { untilMs: 30_000, ...options });
    expect(counts).toEqual({ jobs: 28, purge: 2, sign: 0 });
  });

  it("runs one step of each task although a step of another one takes longer than the tick", async () => {
    const { busy, options, clock } = workshop();
    const slow: PeriodicTask = {
      name: "slow",
      run: async () => {
        clock.nowMs += 60_000;
        return { slow: 1 };
      },
    };
    const { counts } = await runPeriodicTasks([slow, busy("purge"), busy("sign")], { untilMs: 30_000, ...options });
    expect(counts).toEqual({ slow: 1, purge: 1, sign: 1 });
  });

  it("begins each tick with another task, so that a task in which ticks die does not starve the tasks after it", async () => {
    const reached = new Set<string>();
    const dying: PeriodicTask = { name: "dying", run: () => Promise.reject(new Error("The process dies.")) };
    const tasks = ["a", "b", "c", "d"].map(
      (name): PeriodicTask => ({ name, run: async () => ({ [name]: Number(reached.add(name).size) }) }),
    );
    for (let turn = 0; turn < 5; turn += 1) {
      let isDead = false;
      const alive = [dying, ...tasks].map((task) => ({
        ...task,
        run: (untilMs: number) => (isDead ? Promise.resolve({}) : task.run(untilMs)),
      }));
      await runPeriodicTasks(alive, {
        untilMs: 0,
        turn,
        onTaskFailed: () => {
          isDead = true;
        },
      });
    }
    expect([...reached].sort()).toEqual(["a", "b", "c", "d"]);
  });

  it("abandons a task that hangs, and runs the others", async () => {
    const failed: unknown[] = [];
    const hanging: PeriodicTask = { name: "hanging", run: () => new Promise(() => undefined) };
    vi.useFakeTimers();
    try {
      const running = runPeriodicTasks([hanging, counting("next")], {
        untilMs: Date.now() + 10_000,
        onTaskFailed: (name) => failed.push(name),
      });
      await vi.advanceTimersByTimeAsync(10_000);
      expect([(await running).counts, failed]).toEqual([{ next: 1 }, ["hanging"]]);
    } finally {
      vi.useRealTimers();
    }
  });
});
