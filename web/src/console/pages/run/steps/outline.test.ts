import { describe, expect, it } from "vitest";
import { describeBriefly, describeStep } from "./describe.ts";
import { nameOfStep, pageOf, pageOfSelected, type Step, selectedInside, stateOfStep, sumWaits, timesOf } from "./outline.ts";

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const step = (fields: Partial<Step> = {}): Step => ({ path: "a", module: "a", kind: "script", state: "succeeded", attempts: 1, ...fields });
const NOW = Date.parse(at(30));

describe("a step of an outline", () => {
  it("has a state in words unless it has not run", () => {
    expect(stateOfStep(step())).toBe("succeeded");
    expect(stateOfStep(step({ state: "waiting" }))).toBeUndefined();
    expect(stateOfStep(step({ state: "not_run" }))).toBeUndefined();
    expect(stateOfStep(step({ skipped: true }))).toBe("skipped");
  });

  it("is named by its module, or by the number of its iteration or branch, from 1", () => {
    const texts = { iteration: (n: number) => `i${n}`, branch: (n: number) => `b${n}` };
    expect(nameOfStep(step({ module: "send" }), texts)).toBe("send");
    expect(nameOfStep(step({ path: "l/41", kind: "iteration", iteration: 41 }), texts)).toBe("i42");
    expect(nameOfStep(step({ path: "o/0", kind: "branch" }), texts)).toBe("b1");
  });

  it("separates the time in the queue from the run", () => {
    const times = timesOf(step({ queued_at: at(0), started_at: at(4), ended_at: at(9) }), NOW);
    expect([times.queuedMs, times.ranMs]).toEqual([4000, 5000]);
    expect(timesOf(step({ started_at: at(10) }), NOW)).toMatchObject({ queuedMs: 0, ranMs: 20_000 });
    expect(timesOf(step({ queued_at: at(10) }), NOW)).toMatchObject({ queuedMs: 20_000, ranMs: undefined });
    expect(timesOf(step({ queued_at: at(0), started_at: at(4), waited_ms: 1000 }), NOW).queuedMs).toBe(1000);
  });

  it("waits from its request for an approval to the decision, or until now", () => {
    const asked = { state: "open" as const, approvers: [], opened_at: at(5) };
    const waits = step({ state: "suspended", approval: asked });
    const decided = step({ approval: { ...asked, state: "approved", decided_at: at(9) } });
    // The flow was canceled without a decision.
    const ended = step({ state: "canceled", approval: asked });
    expect([waits, decided, ended, step()].map((each) => timesOf(each, NOW).waitedMs)).toEqual([25_000, 4_000, undefined, undefined]);
    expect([sumWaits([waits, decided, step()], NOW), sumWaits([step()], NOW)]).toEqual([29_000, undefined]);
  });

  it("is described by its times, attempts, contents and approvals", () => {
    expect(describeStep(step({ queued_at: at(0), started_at: at(4), ended_at: at(9), attempts: 2, cached: true }), NOW)).toEqual([
      "queued 4.0 s",
      "ran 5.0 s",
      "2 attempts",
      "from the cache",
    ]);
    expect(describeStep(step({ kind: "forloopflow", of: 10, children: 4, failed_children: 1 }), NOW)).toEqual([
      "4 of 10 iterations",
      "1 failed inside",
    ]);
    expect(describeStep(step({ failed_children: 5000, failed_children_partial: true }), NOW)).toEqual(["at least 5000 failed inside"]);
    const approval = { state: "approved" as const, approvers: ["ann"], opened_at: at(0), decided_at: at(20) };
    expect(describeBriefly(step({ approval, mocked: true, attempts: 2 }))).toEqual(["2 attempts", "mocked", "Approved"]);
    expect(describeStep(step({ approval }), NOW)).toEqual(["waited 20.0 s for approval", "Approved", "by ann"]);
  });
});

it("an iteration is on the page of its number, also when an address selects a step inside", () => {
  expect(pageOfSelected("loop", "loop/5000/step")).toBe(26);
  expect([pageOfSelected("loop", "loop"), pageOfSelected("loop", undefined), pageOfSelected("one", "one/default/x")]).toEqual([1, 1, 1]);
  expect([0, 199, 200, 9_999].map(pageOf)).toEqual([1, 1, 2, 50]);
});

it.each([
  ["each", "each/3/ship", "3"],
  ["each", "each/3", "3"],
  ["each/3/choose", "each/3/choose/default/b", "default"],
  ["each", "each", undefined],
  ["each", "eachother/1", undefined],
  ["each", "each/", undefined],
  ["each", undefined, undefined],
])("inside of %s, the selected step %s is in %s", (path, selected, expected) => {
  expect(selectedInside(path, selected)).toBe(expected);
});
