import { expect, it } from "vitest";
import { differingFields } from "./differing-fields.ts";

it("two versions differ in the fields that have other texts, or that only one of them has", () => {
  expect(differingFields({ Path: "f/a/b", Value: "1", Description: "" }, { Path: "f/a/b", Value: "2", Labels: "x" })).toEqual([
    { name: "Value", mine: "1", theirs: "2" },
    { name: "Labels", mine: "", theirs: "x" },
  ]);
});
