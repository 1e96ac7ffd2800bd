import { Text } from "@codemirror/state";
import { expect, it } from "vitest";
import { changeTo } from "./edit-extensions.ts";
import { rangeOf } from "./problems.ts";

const doc = Text.of(["ab", "", "cdef"]);

it.each([
  [{ line: 3 }, { from: 4, to: 8 }],
  [
    { line: 3, column: 2 },
    { from: 5, to: 6 },
  ],
  [
    { line: 2, column: 9 },
    { from: 3, to: 3 },
  ],
  [{ line: 99 }, { from: 4, to: 8 }],
  [{ line: 0 }, { from: 0, to: 2 }],
  [
    { from: 5, to: 99 },
    { from: 5, to: 8 },
  ],
  [{ from: -1 }, { from: 0, to: 0 }],
  [
    { from: 6, to: 2 },
    { from: 6, to: 6 },
  ],
])("the place %j of a problem is inside of the text", (at, range) => {
  expect(rangeOf(doc, at)).toEqual(range);
});

it.each([
  ["abc", "abXc", { from: 2, to: 2, insert: "X" }],
  ["aaa", "aa", { from: 2, to: 3, insert: "" }],
  ["", "x", { from: 0, to: 0, insert: "x" }],
  ["abc", "xyz", { from: 0, to: 3, insert: "xyz" }],
])("a text that is replaced from outside changes only where it differs: %s, %s", (before, after, changes) => {
  expect(changeTo(before, after)).toEqual({ changes });
});
