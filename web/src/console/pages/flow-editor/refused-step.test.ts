import { expect, it } from "vitest";
import { refusedStep } from "./refused-step.ts";

const step = (id: string) => ({ id, value: { type: "identity" } });
const flow = {
  modules: [step("a"), { id: "f", value: { type: "branchone", branches: [{ modules: [step("b")] }], default: [step("c")] } }],
  failure_module: step("failure"),
};

it.each([
  ["value.modules.1.value.branches.0.modules.0.value.path: is missing.", "b"],
  ["The body is invalid: value.modules.1.value.default.0.id is reserved.", "c"],
  ["value.modules.0.id: too long", "a"],
  ["value.modules[1].value: invalid", "f"],
  ["value.failure_module.value.type: must be script", "failure"],
  ["The body does not match the schema. the step c: the approvers g/finance do not exist in this workspace", "c"],
  ["the step missing: is unknown", undefined],
  ["value.modules.9.id: too long", undefined],
  ["summary: too long", undefined],
])("the refusal %j is about the step %s", (sentence, id) => expect(refusedStep(flow, sentence)).toBe(id));
