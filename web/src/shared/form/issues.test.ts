import { expect, it } from "vitest";
import { listIssues, toFieldErrors } from "./issues.ts";

const refused = (...issues: object[]) => ({ issues: JSON.stringify(issues) });

it("each refused value has its place, whose parts may contain any character, and its reason", () => {
  const found = refused({ at: ["people", "0", "a.b: c; d"], reason: "is missing" });
  expect(listIssues(found)).toEqual([{ at: ["people", "0", "a.b: c; d"], reason: "This value is missing." }]);
  expect(toFieldErrors(found)).toEqual({ people: { 0: { "a.b: c; d": { __errors: ["This value is missing."] } } } });
});

it.each(["[]", "", '[{"at":', "null", "[1]", '[{"at":"name"}]', '[{"reason":"is missing"}]'])("the header %j names no field", (issues) => {
  expect(toFieldErrors({ issues })).toBeUndefined();
});

it("a name that objects inherit changes no other object", () => {
  toFieldErrors(refused({ at: ["__proto__", "polluted"], reason: "is wrong" }));
  expect({}).not.toHaveProperty("polluted");
});
