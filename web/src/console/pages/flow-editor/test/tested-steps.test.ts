import { describe, expect, it } from "vitest";
import type { Step } from "../../run/steps/outline.ts";
import { readTestedSteps, spanOf } from "./tested-steps.ts";

const step = (path: string, fields: Partial<Step> = {}): Step => ({
  path,
  module: path.split("/").at(-1) ?? "",
  kind: "script",
  state: "succeeded",
  attempts: 1,
  ...fields,
});
const list = (path: string, fields: Partial<Step> = {}): Step => step(path, { kind: "iteration", module: "", ...fields });

/** Answers with the levels of a run, and notes which ones were read. */
function levelsOf(levels: Record<string, Step[]>) {
  const asked: string[] = [];
  const read = async (under: string | undefined, onlyFailed = false) => {
    const key = `${under ?? ""}${onlyFailed ? "!" : ""}`;
    asked.push(key);
    return levels[key] ?? [];
  };
  return { asked, read };
}

it("a test shows the states of the steps inside loops and branches", async () => {
  const { asked, read } = levelsOf({
    "": [
      step("a"),
      step("l", { kind: "forloopflow", children: 3, failed_children: 1 }),
      step("b", { kind: "branchone", children: 2 }),
      step("m", { kind: "whileloopflow", children: 2 }),
      step("r", { kind: "forloopflow", state: "running", children: 3 }),
      step("z", { state: "not_run", kind: "forloopflow", children: 0 }),
    ],
    "l!": [list("l/1"), list("l/2")],
    "l/1": [step("l/1/x", { state: "failed" })],
    b: [list("b/0", { state: "not_run" }), list("b/default")],
    "b/default": [step("b/default/y")],
    "m/1": [step("m/1/n")],
    r: [list("r/0"), list("r/1", { state: "running" }), list("r/2", { state: "waiting" })],
    "r/1": [step("r/1/q", { state: "running" })],
  });
  const found = await readTestedSteps(read);
  expect(
    Object.fromEntries(
      [...found].map(
        ([
          id,
          {
            step: { state },
          },
        ]) => [id, state],
      ),
    ),
  ).toEqual({
    ...{ a: "succeeded", l: "succeeded", b: "succeeded", m: "succeeded", r: "running", z: "not_run" },
    ...{ x: "failed", y: "succeeded", n: "succeeded", q: "running" },
  });
  expect(asked).toHaveLength(8);
});

it("a test with many loops is read in part", async () => {
  const deep: Record<string, Step[]> = { "": [step("l", { kind: "forloopflow", children: 1 })] };
  let path = "l";
  for (let level = 0; level < 60; level += 1) {
    deep[`${path}/0`] = [step(`${path}/0/l${level}`, { kind: "forloopflow", children: 1 })];
    path = `${path}/0/l${level}`;
  }
  const { asked, read } = levelsOf(deep);
  await readTestedSteps(read);
  expect(asked.length).toBeLessThanOrEqual(40);
});

describe("a chosen iteration", () => {
  const levels = {
    "": [step("l", { kind: "forloopflow", children: 3, failed_children: 1 })],
    "l!": [list("l/1")],
    "l/0": [step("l/0/x"), step("l/0/m", { kind: "whileloopflow", children: 2 })],
    "l/1": [step("l/1/x", { state: "failed" })],
    "l/0/m/0": [step("l/0/m/0/y", { state: "skipped" })],
    "l/0/m/1": [step("l/0/m/1/y")],
  };
  const shown = async (chosen: Record<string, number>) => {
    const found = await readTestedSteps(levelsOf(levels).read, new Map(Object.entries(chosen)));
    return Object.fromEntries([...found].map(([id, { step, iteration }]) => [id, iteration ?? step.state]));
  };

  it("shows its steps in place of those of the first failure, also of a loop inside", async () => {
    expect(await shown({})).toEqual({ l: 1, x: "failed" });
    expect(await shown({ l: 0 })).toEqual({ l: 0, x: "succeeded", m: 1, y: "succeeded" });
    expect(await shown({ l: 0, m: 0 })).toEqual({ l: 0, x: "succeeded", m: 0, y: "skipped" });
  });

  it("counts only if the loop has it", async () => {
    expect(await shown({ l: 3, m: 1 })).toEqual({ l: 1, x: "failed" });
  });
});

it("the results of an early iteration are found by the times of its jobs", () => {
  const at = (time: string) => ({ step: step("x", { queued_at: time }) });
  expect(spanOf([at("2030-01-01T00:00:05.000Z"), at("2030-01-01T00:00:01.000Z"), { step: step("m") }])).toEqual({
    created_after: "2030-01-01T00:00:00.999Z",
    created_before: "2030-01-01T00:00:05.001Z",
  });
  expect(spanOf([])).toBeUndefined();
});
