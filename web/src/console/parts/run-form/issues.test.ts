import { expect, it } from "vitest";
import { Refused } from "../../../shared/service.ts";
import { issuesOf } from "./issues.ts";

const refused = (issues: string, code = "run.arguments") =>
  new Refused(422, code, `The arguments do not match the schema of f/ops/hello. ${issues}.`);

it("each refused argument has its place and its reason", () => {
  expect(issuesOf(refused("name: is missing; people.0.age: must be number, but is string"))).toEqual([
    { path: ["name"], reason: "This value is missing." },
    { path: ["people", "0", "age"], reason: "This value must be number, but is string." },
  ]);
});

it("other refusals belong to no field", () => {
  expect(issuesOf(refused("name: is missing", "access.denied"))).toEqual([]);
  expect(issuesOf(refused("(the whole value): is too large"))).toEqual([]);
});
