import { expect, it } from "vitest";
import { sortRows } from "./sort.ts";

it("rows are sorted by numbers or texts, and equal rows keep their order", () => {
  const rows = [
    [10, "b"],
    [9, "a10"],
    [9, "a9"],
  ];
  expect(sortRows(rows, undefined)).toBe(rows);
  expect(sortRows(rows, { column: 0, isDescending: false })).toEqual([rows[1], rows[2], rows[0]]);
  expect(sortRows(rows, { column: 1, isDescending: true })).toEqual([rows[0], rows[1], rows[2]]);
});

it("rows with large cells are sorted by the beginning of these", () => {
  const rows = ["b", "a", "c"].map((text) => [{ text, more: "x".repeat(1_000_000) }]);
  expect(sortRows(rows, { column: 0, isDescending: false })).toEqual([rows[1], rows[0], rows[2]]);
});
