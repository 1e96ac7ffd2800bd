import { expect, it } from "vitest";
import type { Step } from "../../run/steps/outline.ts";
import { readTestedSteps } from "./tested-steps.ts";

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
  expect(Object.fromEntries([...found].map(([id, { state }]) => [id, state]))).toEqual({
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
