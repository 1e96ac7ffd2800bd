import { expect, it } from "vitest";
import { findSections } from "./search.ts";

const words = ["approval 0 2 3", "approve 1", "retry 5 z", "wait 2"].join("\n");

it.each([
  ["approval", [0, 2, 5]],
  ["APPROV", [0, 1, 2, 5]],
  ["approval wait", [2]],
  ["retry", [5, 40]],
  ["retry approval", [5]],
  ["ap", []],
  ["missing approval", []],
  ["", []],
])("the text %j is in the sections %j", (text, sections) => {
  expect(findSections(words, text)).toEqual(sections);
});
