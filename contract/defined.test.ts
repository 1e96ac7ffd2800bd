import { expect, expectTypeOf, it } from "vitest";
import { defined } from "./defined.ts";

it("leaves out the fields that are undefined, and keeps the order of the others", () => {
  const fields = { a: 1, b: undefined as string | undefined, c: null, d: undefined as number | undefined, e: "" };
  const result = defined({ ...fields, d: 0 as number | undefined });
  expect(Object.entries(result)).toEqual([
    ["a", 1],
    ["c", null],
    ["d", 0],
    ["e", ""],
  ]);
  expectTypeOf(result).toEqualTypeOf<{ a: number; c: null; e: string; b?: string; d?: number }>();
});
