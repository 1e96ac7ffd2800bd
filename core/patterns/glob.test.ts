import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchesGlob } from "./glob.ts";

describe("matchesGlob", () => {
  it.each([
    ["f/ops/a", "f/ops/a", true],
    ["f/ops/a", "f/ops/ab", false],
    ["f/ops/*", "f/ops/a", true],
    ["f/ops/*", "f/ops/a/b", false],
    ["f/ops/*", "f/ops", false],
    ["f/ops/**", "f/ops/a/b", true],
    ["f/ops/**", "f/ops", true],
    ["f/ops/**", "f/opsx/a", false],
    ["f/**/b", "f/ops/a/b", true],
    ["f/*/b", "f/ops/a/b", false],
    ["**", "u/ann/x", true],
    ["*", "u/ann/x", false],
    ["f/ops/?", "f/ops/a", true],
    ["f/ops?a", "f/ops/a", false],
    ["f/ops/a*c", "f/ops/abbc", true],
    ["f/ops/a*c", "f/ops/abbcd", false],
    ["F/ops/a", "f/ops/a", false],
    ["f/ops/a.b", "f/ops/axb", false],
    ["", "", true],
    ["", "f", false],
  ])("the glob %j matches %j: %s", (glob, path, matches) => {
    expect(matchesGlob(glob, path)).toBe(matches);
  });

  it("matches the same paths as the regular expression of the glob", () => {
    const glob = fc.array(fc.constantFrom("a", "b", "/", "*", "**", "?"), { maxLength: 7 }).map((parts) => parts.join(""));
    const path = fc.array(fc.constantFrom("a", "b", "/"), { maxLength: 7 }).map((parts) => parts.join(""));
    const translate = (text: string) => text.replaceAll(/\*\*|\*|\?/g, (part) => ({ "**": ".*", "*": "[^/]*", "?": "[^/]" })[part] ?? "");
    fc.assert(
      fc.property(glob, path, (pattern, text) => {
        const deep = pattern.endsWith("/**") ? `(${translate(pattern)}|${translate(pattern.slice(0, -3))})` : translate(pattern);
        // A pattern may end with several "/**".
        fc.pre(!/(\/\*\*){2}$/.test(pattern));
        expect(matchesGlob(pattern, text)).toBe(new RegExp(`^${deep}$`).test(text));
      }),
      { numRuns: 3000 },
    );
  });

  it("a hostile glob takes no longer than the product of the lengths", () => {
    // A search that tries all divisions would never end.
    expect(matchesGlob("*a".repeat(125), `${"a".repeat(249)}b`)).toBe(false);
  });
});
