import { describe, expect, it } from "vitest";
import type { FlowValue, Module } from "../../document/flow-document.ts";
import { type LastValues, listStepNames } from "./step-names.ts";

const step = (id: string, fields: object = {}): Module => ({ id, value: { type: "identity" }, ...fields });
const js = (expr: string) => ({ type: "javascript", expr });
const loop = (id: string, iterator: object, ...modules: Module[]): Module => ({ id, value: { type: "forloopflow", iterator, modules } });

const flow: FlowValue = {
  modules: [
    step("a", { suspend: { required_events: 1 } }),
    step("b"),
    loop("l", js("results.a.list"), step("c"), step("d"), { id: "w", value: { type: "whileloopflow", modules: [step("e")] } }),
    loop("m", js("flow_input.list.map(f)"), step("f")),
    { id: "o", value: { type: "branchone", branches: [{ expr: "true", modules: [step("g")] }], default: [] } },
  ],
  flow_env: { region: "eu" },
  failure_module: step("failure"),
};
const last: LastValues = { inputs: { who: "Ann" }, results: { a: { list: ["x", "y"] }, b: 2, c: 3 }, iterations: new Map([["w", 4]]) };
const namesOf = (id: string, values: Partial<LastValues> = {}) => listStepNames(flow, id, { ...last, ...values });

describe("the names that a step reads", () => {
  it("contain the inputs and the environment of the flow, and what its first step has as previous result", () => {
    expect(namesOf("a")).toEqual({
      ...{ flow_input: { who: "Ann" }, previous_result: { who: "Ann" }, error: null, results: last.results },
      ...{ flow_env: { region: "eu" }, resume: null, resumes: [], approvers: [] },
    });
  });

  it("contain the result of the step before as previous result, and an error in it", () => {
    expect(namesOf("d")["previous_result"]).toBe(3);
    expect(namesOf("b", { results: { a: { error: "E" } } })).toMatchObject({ previous_result: { error: "E" }, error: "E" });
    expect(namesOf("m")).not.toHaveProperty("previous_result");
  });

  it("have no payload of an approval, which the runs do not show", () => {
    expect(namesOf("b")).not.toHaveProperty("resume");
    expect(namesOf("l")).toMatchObject({ resume: null, approvers: [] });
  });

  it("contain the shown iteration of each loop around the step, or the last one", () => {
    expect(namesOf("c")["flow_input"]).toEqual({ who: "Ann", iter: { index: 1, value: "y" } });
    expect(namesOf("c", { iterations: new Map([["l", 0]]) })["previous_result"]).toEqual({ who: "Ann", iter: { index: 0, value: "x" } });
    expect(namesOf("e")["flow_input"]).toEqual({ who: "Ann", iter: { index: 4, value: 4 }, iter_parent: { index: 1, value: "y" } });
    expect(namesOf("f")["flow_input"]).toEqual({ who: "Ann", iter: { index: 0 } });
  });

  it("contain the input of the flow as previous result of the first step of a branch", () => {
    expect(namesOf("g")["previous_result"]).toEqual({ who: "Ann" });
  });

  it("contain the error of the last failed step in the handler of failures, also one that ended a loop", () => {
    const failed = { error: { message: "no" } };
    expect(namesOf("failure", { results: { a: 1, b: failed, l: [1] } })).toMatchObject({ previous_result: failed, error: failed.error });
    expect(namesOf("failure", { results: { l: [1, failed] } })).toMatchObject({ error: failed.error });
    expect(namesOf("failure")).not.toHaveProperty("error");
  });
});
