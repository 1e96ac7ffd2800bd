import { expect, it } from "vitest";
import { describeVariable, newVariable, toVariableChange } from "./variable.ts";

const secret = { ...newVariable, path: "f/ops/key", isSecret: true, wasSecret: true };

it("a stored secret that was not typed again is not sent", () => {
  expect(toVariableChange(secret)).toEqual({ path: "f/ops/key", is_secret: true, description: "" });
  expect(toVariableChange({ ...secret, value: "new" })).toMatchObject({ value: "new" });
});

it("an empty text is a value of a variable that is no secret", () => {
  expect(toVariableChange({ ...secret, isSecret: false, wasSecret: false })).toMatchObject({ value: "", is_secret: false });
});

it("the comparison of two versions contains no secret", () => {
  expect(JSON.stringify(describeVariable({ ...secret, value: "hidden" }))).not.toContain("hidden");
  expect(JSON.stringify(describeVariable({ ...secret, isSecret: false, value: "hidden" }))).not.toContain("hidden");
});
