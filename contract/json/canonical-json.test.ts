import { describe, expect, it } from "vitest";
import { toCanonicalJson } from "./canonical-json.ts";

describe("canonical JSON", () => {
  it("equal values have the same text for any order of keys", () => {
    expect(toCanonicalJson({ b: [{ d: 1, c: null }], a: "x" })).toBe('{"a":"x","b":[{"c":null,"d":1}]}');
    const odd = JSON.parse('{"__proto__":1,"constructor":2}') as unknown;
    expect(toCanonicalJson(odd)).toBe('{"__proto__":1,"constructor":2}');
  });
});
