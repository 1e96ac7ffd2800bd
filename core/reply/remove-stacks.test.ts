import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { removeStacks } from "./remove-stacks.ts";

describe("removeStacks", () => {
  it.each([
    ['{"error":{"name":"E","message":"m","stack":"at x"}}', '{"error":{"name":"E","message":"m"}}'],
    [
      '{"error":{"stack":"at x","message":"m","cause":{"message":"n","stack":"at y"}}}',
      '{"error":{"message":"m","cause":{"message":"n"}}}',
    ],
    ['[{"a":{"error":{"message":"m","stack":"at x","step":"a"}}}]', '[{"a":{"error":{"message":"m","step":"a"}}}]'],
    ['{"message":"m","stack":"at x","id":12345678901234567890,"rate":1.0}', '{"message":"m","id":12345678901234567890,"rate":1.0}'],
    ['{"stack":"of cards"}', '{"stack":"of cards"}'],
    ['{"message":"m","stack":["a"]}', '{"message":"m","stack":["a"]}'],
  ])("turns %s into %s", (json, expected) => {
    expect(removeStacks(json)).toBe(expected);
  });

  it("leaves every other value as it is", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.stringify({ value, stack: 1 });
        expect(removeStacks(json)).toBe(json);
      }),
    );
  });
});
