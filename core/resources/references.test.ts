import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countResolvedBytes, findCycle, findReferences, hasReferences, replaceReferences } from "./references.ts";

describe("references", () => {
  it("are whole strings at any depth, each named once", () => {
    const value = { a: "$var:f/a/b", b: [1, { c: "$res:f/a/c", d: "$var:f/a/b" }], "$var:key": "x$var:f/a/b", e: "$var:", f: "$other:x" };
    expect(findReferences(value).sort()).toEqual(["$res:f/a/c", "$var:f/a/b"]);
    expect(hasReferences(value)).toBe(true);
    expect(hasReferences({ a: "x$var:f/a/b", b: [null, 1] })).toBe(false);
  });

  it("are replaced by their values, also within resources; the text of a variable is not searched", () => {
    const loaded = new Map<string, unknown>([
      ["$var:v", "$var:w"],
      ["$res:r", { inner: "$var:v", list: ["$res:s"] }],
      ["$res:s", 7],
    ]);
    expect(replaceReferences({ x: "$res:r", y: ["$var:v"] }, loaded)).toEqual({ x: { inner: "$var:w", list: [7] }, y: ["$var:w"] });
  });

  it("leave a value without references unchanged, including keys named __proto__", () => {
    fc.assert(
      fc.property(fc.json(), (json) => JSON.stringify(replaceReferences(JSON.parse(json), new Map())) === JSON.stringify(JSON.parse(json))),
    );
    const odd = '{"__proto__":{"x":1},"constructor":2}';
    expect(JSON.stringify(replaceReferences(JSON.parse(odd), new Map()))).toBe(odd);
  });

  it("that form a cycle are found, and two that lead to the same resource form none", () => {
    const loaded = new Map<string, unknown>([
      ["$res:a", ["$res:b", "$res:c"]],
      ["$res:b", "$res:d"],
      ["$res:c", "$res:d"],
      ["$res:d", 1],
      ["$res:x", { y: "$res:y" }],
      ["$res:y", ["$res:x"]],
      ["$res:self", "$res:self"],
    ]);
    expect(findCycle("$res:a", loaded)).toBeUndefined();
    expect(findCycle({ deep: ["$res:x"] }, loaded)).toBe("$res:x");
    expect(findCycle("$res:self", loaded)).toBe("$res:self");
  });

  it("are measured before their values are inserted", () => {
    const loaded = new Map<string, unknown>([["$res:0", "x".repeat(100)]]);
    for (let level = 1; level <= 9; level += 1)
      loaded.set(
        `$res:${level}`,
        Array.from({ length: 10 }, () => `$res:${level - 1}`),
      );
    expect(countResolvedBytes("$res:9", loaded)).toBeGreaterThan(1e11);
    const small = { a: "$res:1", b: ["é"] };
    expect(countResolvedBytes(small, loaded)).toBeGreaterThanOrEqual(JSON.stringify(replaceReferences(small, loaded)).length);
  });
});
