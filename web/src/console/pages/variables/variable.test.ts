import { expect, it } from "vitest";
import { keepableVariable, newVariable, toVariableChange, variableFields } from "./variable.ts";

const secret = { ...newVariable, path: "f/ops/key", isSecret: true, wasSecret: true };

it("a stored secret that was not typed again is not sent", () => {
  expect(toVariableChange(secret)).toEqual({ path: "f/ops/key", is_secret: true, description: "" });
  expect(toVariableChange({ ...secret, value: "new" })).toMatchObject({ value: "new" });
});

it("an empty text is a value of a variable that is no secret", () => {
  expect(toVariableChange({ ...secret, isSecret: false, wasSecret: false })).toMatchObject({ value: "", is_secret: false });
});

it("the comparison of two versions, and the draft of the browser, contain no secret", () => {
  for (const isSecret of [true, false]) {
    const values = { ...secret, isSecret, value: "hidden" };
    expect(variableFields.map(({ toText }) => toText(values)).join()).not.toContain("hidden");
    expect(JSON.stringify(keepableVariable(values))).not.toContain("hidden");
  }
  expect(JSON.stringify(keepableVariable({ ...newVariable, value: "hidden" }))).not.toContain("hidden");
});

it("the draft of a variable that is no secret contains its value", () => {
  expect(keepableVariable({ ...newVariable, isSecret: false, value: "eu" })).toEqual({
    path: "",
    isSecret: false,
    description: "",
    value: "eu",
  });
});
