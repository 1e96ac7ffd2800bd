import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchesWildcard } from "./wildcard.ts";

/** A definition of wildcards that ignores efficiency. */
function matchesBySearch(pattern: string, text: string): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return text === "";
  const remaining = rest.join("");
  if (first !== "*") return text.startsWith(first) && matchesBySearch(remaining, text.slice(first.length));
  return matchesBySearch(remaining, text) || (text !== "" && matchesBySearch(pattern, text.slice(1)));
}

/** Returns a text that counts how often one of its characters is read. */
function countReads(text: string): { text: ArrayLike<string>; reads: () => number } {
  let reads = 0;
  const counted = new Proxy(Array.from(text), {
    get: (characters, key) => {
      if (key !== "length") reads += 1;
      return Reflect.get(characters, key);
    },
  });
  return { text: counted, reads: () => reads };
}

describe("matchesWildcard", () => {
  it.each([
    ["", "", true],
    ["", "a", false],
    ["*", "", true],
    ["*", "line\nbreak", true],
    ["f/ops/*", "f/ops/hello", true],
    ["f/ops/*", "f/ops", false],
    ["f/o.s/*", "f/ops/hello", false],
    ["(a+)*$", "(a+)+$", true],
    // The beginning and the end of a pattern do not share a character.
    ["ab*ba", "aba", false],
    ["*ab*ab", "ab", false],
    ["*aab*", "aaab", true],
    ["*abab*c", "ababababc", true],
  ])("the pattern %j matches %j: %s", (pattern, text, expected) => {
    expect(matchesWildcard(pattern, text)).toBe(expected);
  });

  it("a pattern matches the texts that its definition allows", () => {
    const word = (...characters: string[]) => fc.array(fc.constantFrom(...characters), { maxLength: 9 }).map((all) => all.join(""));
    fc.assert(
      fc.property(
        word("a", "b", "*"),
        word("a", "b"),
        (pattern, text) => matchesWildcard(pattern, text) === matchesBySearch(pattern, text),
      ),
      { numRuns: 3000 },
    );
  });

  it.each([
    ["*a*a*a*a*a*a*a*a*b", "a".repeat(20_000)],
    [`${"*a".repeat(500)}*b*`, "a".repeat(20_000)],
    [`*${"a".repeat(5_000)}b*`, "a".repeat(20_000)],
    [`*${"ab".repeat(2_000)}c*d`, `${"ab".repeat(10_000)}d`],
    ["*".repeat(10_000), "a".repeat(20_000)],
  ])("a hostile pattern reads each character of the text a bounded number of times (%#)", (pattern, hostile) => {
    const { text, reads } = countReads(hostile);
    matchesWildcard(pattern, text);
    expect(reads()).toBeLessThanOrEqual(2 * hostile.length);
  });
});
