import { describe, expect, it } from "vitest";
import { firstEntries, previewOf, shorten, withoutDirections } from "./preview.ts";

/** Lists inside lists. */
function nested(levels: number): unknown {
  let value: unknown = "inside";
  for (let at = 0; at < levels; at++) value = [value];
  return value;
}

/** Counts the reads of its elements. */
function countedList(length: number) {
  let reads = 0;
  const list = new Proxy(new Array<string>(length).fill("x".repeat(100)), {
    get(target, name) {
      if (typeof name === "string" && /^\d+$/.test(name)) reads += 1;
      return Reflect.get(target, name);
    },
  });
  return { list, reads: () => reads };
}

describe("the preview of a value", () => {
  it("is its JSON, and a text itself", () => {
    expect(previewOf({ a: [1, "b", null, true], c: {} }, 100)).toBe('{"a":[1,"b",null,true],"c":{}}');
    expect([previewOf("text", 2), previewOf(null, 9), previewOf(undefined, 9), previewOf([[], 5], 9)]).toEqual(["te", "", "", "[[],5]"]);
  });

  it("reads only the beginning of a large value", () => {
    const { list, reads } = countedList(500_000);
    expect(previewOf(list, 500)).toHaveLength(500);
    expect(reads()).toBeLessThan(10);
    expect(previewOf({ text: "x".repeat(50_000_000) }, 500)).toHaveLength(500);
    expect(previewOf({ ["k".repeat(1_000_000)]: 1 }, 50)).toHaveLength(50);
  });

  it("shows values that JSON lacks, fields of the prototype and 400 levels", () => {
    expect(previewOf([Number.NaN, Number.POSITIVE_INFINITY], 100)).toBe("[NaN,Infinity]");
    expect(previewOf(JSON.parse('{"__proto__":{"a":1},"constructor":2}'), 100)).toBe('{"__proto__":{"a":1},"constructor":2}');
    expect(previewOf(nested(400), 10_000)).toBe(`${"[".repeat(400)}"inside"${"]".repeat(400)}`);
  });
});

it("the first entries of a large value are taken without the others", () => {
  const { list, reads } = countedList(500_000);
  expect(firstEntries(list, 2)).toEqual({
    entries: [
      ["0", "x".repeat(100)],
      ["1", "x".repeat(100)],
    ],
    count: 500_000,
  });
  expect(reads()).toBeLessThan(10);
  expect(firstEntries(JSON.parse('{"__proto__":1,"b":2}') as object, 1)).toEqual({ entries: [["__proto__", 1]], count: 2 });
});

it("a displayed text is shortened, and cannot reverse its direction", () => {
  expect(shorten(`a\u202eb${"x".repeat(1_000_000)}`, 4)).toBe("a\\u202ebx… (1000003 characters)");
  expect(withoutDirections("report\u202efdp.exe")).toBe("reportfdp.exe");
  expect(shorten("f/".repeat(2000), 4_000)).toHaveLength(4000);
});
