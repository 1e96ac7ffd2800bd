import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createPatternEngine, MAX_PATTERN_WORK } from "./pattern-engine.ts";
import { translatePattern } from "./translate-pattern.ts";

const matches = (pattern: string, text: string) => createPatternEngine()(pattern).test(text);
const refusal = (pattern: string) => {
  try {
    createPatternEngine()(pattern);
  } catch (error) {
    return (error as Error).message;
  }
  return undefined;
};

const characters = [
  "a",
  "b",
  "Z",
  "_",
  "7",
  " ",
  "-",
  "\n",
  "\r",
  "\t",
  "\b",
  "\0",
  "é",
  "ſ",
  "\u00a0",
  "\u2028",
  "\ufeff",
  "ß",
  "Ω",
  "😀",
];
const text = fc.array(fc.constantFrom(...characters, "\ud83d", "\ude00"), { maxLength: 8 }).map((all) => all.join(""));
const escapes = [
  ..."dDwWsS".split("").map((name) => `\\${name}`),
  ...[
    "\\n",
    "\\r",
    "\\t",
    "\\v",
    "\\f",
    "\\0",
    "\\cJ",
    "\\x61",
    "\\u0062",
    "\\u{1F600}",
    "\\uD83D\\uDE00",
    "\\uD83D",
    "\\/",
    "\\.",
    "\\\\",
  ],
  ...["\\p{L}", "\\P{Lu}", "\\p{gc=Nd}", "\\p{General_Category=Z}", "\\p{Script=Greek}", "\\P{sc=Latin}"],
];
const classItem = fc.oneof(
  fc.constantFrom(...escapes, "a", "b", "Z", "_", "é", "😀", "[", "(", "*", "$", ".", "\\b", "\\-", "\\]", "\\^", "[:alpha:"),
  fc.constantFrom("a-z", "\\x00-\\x1f", "A-\\u{10FFFF}", "\\t-\\r", " --"),
);
const classText = fc
  .tuple(fc.constantFrom("", "^"), fc.array(classItem, { maxLength: 4 }), fc.constantFrom("", "-"))
  .map(([start, items, end]) => `[${start}${items.join("")}${end}]`);
const { pattern } = fc.letrec<{ pattern: string; term: string; atom: string }>((tie) => ({
  atom: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(".", "a", "b", "é", "😀", "-", "\\(", "\\{", "\\$", ...escapes),
    classText,
    tie("pattern").map((inner) => `(${inner})`),
    tie("pattern").map((inner) => `(?:${inner})`),
  ),
  term: fc.oneof(
    fc.constantFrom("^", "$", "\\b", "\\B"),
    fc.tuple(tie("atom"), fc.constantFrom("", "", "*", "+", "?", "*?", "{2}", "{0,2}", "{1,}", "{0}?")).map((parts) => parts.join("")),
  ),
  pattern: fc.array(fc.oneof(tie("term"), tie("term"), fc.constant("|")), { maxLength: 5 }).map((parts) => parts.join("")),
}));

describe("createPatternEngine", () => {
  it("a pattern matches the same texts as in a browser", () => {
    fc.assert(
      fc.property(pattern, text, (source, value) => {
        // V8 finds `\B` also between the two halves of a character, which ECMAScript does not.
        fc.pre(!(source.includes("\\B") && /[\ud800-\udfff]/.test(value)));
        return matches(source, value) === new RegExp(source, "u").test(value);
      }),
      { numRuns: 4000 },
    );
  });

  it("each category that a pattern can name contains the same characters as in a browser", () => {
    const codes = Array.from({ length: 0x11 * 0x100 }, (_, index) => String.fromCodePoint(index * 0xf1));
    for (const name of ["C", "Cc", "L", "Lu", "Ll", "M", "N", "Nd", "P", "S", "Sc", "Z", "Zs"]) {
      const source = `^\\p{${name}}$`;
      const engine = createPatternEngine()(source);
      const native = new RegExp(source, "u");
      const different = codes.filter((character) => engine.test(character) !== native.test(character));
      expect([name, different]).toEqual([name, []]);
    }
  });

  it.each([
    ["look-ahead", "^(?=.*\\d).{8,}$"],
    ["look-ahead", "^(?!admin)"],
    ["look-behind", "(?<=a)b"],
    ["look-behind", "(?<!a)b"],
    ["back reference", "(a)\\1"],
    ["back reference", "(?<x>a)\\k<x>"],
    ["flags", "(?i:a)"],
    ["short category", "\\p{Alphabetic}"],
    ["short category", "\\p{Script=Grek}"],
    ["more than 1000 times", "a{1001}"],
    ["more than 1000 times", "(a{100}){11}"],
    ["not a valid regular expression", "("],
    ["not a valid regular expression", "\\a"],
    ["not a valid regular expression", "(?P<x>a)"],
    ["too large", "a{1000}".repeat(100)],
    ["too large", "(a{10}){10}".repeat(900)],
    ["too large", "a".repeat(10_001)],
    ["nested too deeply", "(a".repeat(1_500) + ")*".repeat(1_500)],
  ])("a pattern is refused with the reason: %s", (reason, source) => {
    expect(refusal(source)).toContain(reason);
  });

  it.each([
    ["^(a+)+$", "a"],
    ["^(a|a)*$", "a"],
    ["^(a|aa)+$", "a"],
    ["(.*)*(.*)*=", "x"],
    ["^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@)$", "a"],
    ["(x+x+)+y", "x"],
  ])("%s ends on a text that a backtracking engine would not finish", (source, character) => {
    expect(matches(source, `${character.repeat(50_000)}!`)).toBe(false);
  });

  it("the patterns of one schema share a limit of work, which counts instructions and characters", () => {
    const engine = createPatternEngine();
    const long = "ab".repeat(50_000);
    let tests = 0;
    const run = () => {
      for (; tests < 1000; tests += 1) engine(`^[ab]*a[ab]{${tests % 10}}c$`).test(long);
    };
    expect(run).toThrow("takes too long on this value");
    expect(tests).toBeGreaterThan(1);
    expect(tests * long.length).toBeLessThan(MAX_PATTERN_WORK);
  });

  it("the patterns of one schema share a limit of size", () => {
    const engine = createPatternEngine();
    expect(() => Array.from({ length: 100 }, (_, index) => engine(`${index}a{999}`))).toThrow("together too large");
  });

  it("the size of a pattern counts written-out repetitions", () => {
    expect(translatePattern("(ab){3}c{2,}").size).toBe(12);
    expect(translatePattern("a|b*").size).toBe(3);
  });
});
