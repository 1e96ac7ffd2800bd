import { describe, expect, it } from "vitest";
import type { FlowValue, Module } from "../../document/flow-document.ts";
import { listIds } from "../../document/lists.ts";
import { cutAfter, findSurroundings, toStepFlow } from "./preview-flow.ts";

const step = (id: string, fields: object = {}): Module => ({ id, value: { type: "identity" }, ...fields });
const loop = (id: string, ...modules: Module[]): Module => ({ id, value: { type: "forloopflow", iterator: { type: "static" }, modules } });
const branches = (id: string, ...lists: Module[][]): Module => ({
  id,
  value: { type: "branchone", branches: lists.map((modules, index) => ({ expr: `${index}`, modules })), default: [step("other")] },
});
const ids = (flow: FlowValue | undefined) => flow && listIds(flow.modules);

const flow: FlowValue = {
  modules: [
    step("a", { suspend: { required_events: 1 } }),
    loop("l", step("b"), branches("o", [step("c"), step("d")], [step("e")]), step("f")),
    step("g"),
  ],
  same_worker: true,
  early_return: "g",
  failure_module: step("failure"),
};

describe("a test up to a step", () => {
  it.each([
    ["a", ["a"]],
    ["b", ["a", "l", "b"]],
    ["c", ["a", "l", "b", "o", "c", "e", "other"]],
    ["e", ["a", "l", "b", "o", "c", "d", "e", "other"]],
    ["other", ["a", "l", "b", "o", "c", "d", "e", "other"]],
    ["l", ["a", "l", "b", "o", "c", "d", "e", "other", "f"]],
  ])("%s contains the steps %j", (id, expected) => {
    expect(ids(cutAfter(flow, id))?.toSorted()).toEqual(expected.toSorted());
  });

  it("keeps the settings, and an early return only with its step", () => {
    expect(cutAfter(flow, "a")).toEqual({ ...flow, modules: flow.modules.slice(0, 1), early_return: undefined });
    expect(cutAfter(flow, "g")).toEqual(flow);
    expect(cutAfter(flow, "unknown")).toBeUndefined();
  });
});

describe("a test of one step", () => {
  it("runs the step with constants, without the options that depend on other steps", () => {
    const module = step("x", { mock: { enabled: true }, skip_if: { expr: "true" }, timeout: 5, value: { type: "script", path: "f/a/b" } });
    expect(toStepFlow(flow, module, { n: 1 })).toEqual({
      same_worker: true,
      modules: [{ id: "x", timeout: 5, value: { type: "script", path: "f/a/b", input_transforms: { n: { type: "static", value: 1 } } } }],
    });
  });

  it("runs a failure handler under an id that is not reserved", () => {
    expect(toStepFlow(flow, step("failure")).modules[0]?.id).toBe("test_failure");
  });
});

it("a step knows the loops around it, and the approval before it", () => {
  expect(findSurroundings(flow, "d")).toEqual({ loops: 1, afterApproval: false });
  expect(findSurroundings(flow, "l")).toEqual({ loops: 0, afterApproval: true });
  expect(findSurroundings(flow, "missing")).toBeUndefined();
});
