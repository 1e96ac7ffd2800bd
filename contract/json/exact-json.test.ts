import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findExcess, MAX_DEPTH, MAX_DIGITS, measureJson, parseExactJson } from "./exact-json.ts";

describe("exact JSON", () => {
  const bigInt = fc.bigInt({ min: -(10n ** 60n), max: 10n ** 60n });

  it("whole numbers of any size keep their digits, at any depth", () => {
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof({ depthSize: "small" }, tie("leaf"), fc.array(tie("tree")), fc.dictionary(fc.string(), tie("tree"))),
      leaf: fc.oneof(bigInt, fc.string(), fc.boolean(), fc.constant(null), fc.bigInt().map(String)),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        const text = JSON.stringify(value);
        expect(JSON.stringify(parseExactJson(text))).toBe(text);
      }),
    );
  });

  it("other values are those of JSON.parse", () => {
    fc.assert(
      fc.property(fc.json(), fc.array(fc.double({ noNaN: true, noDefaultInfinity: true })), (json, doubles) => {
        expect(parseExactJson(json)).toEqual(JSON.parse(json));
        const text = JSON.stringify(doubles);
        expect(JSON.stringify(parseExactJson(text))).toBe(text);
      }),
    );
  });

  it.each(["9007199254740991", "1.5", "0.30000000000000004", "12345678901234567890.5", "1e21", "9007199254740992", '"9007199254740993"'])(
    "%s is not a BigInt",
    (text) => {
      expect(parseExactJson(text)).toBe(JSON.parse(text));
    },
  );

  it("text that is not JSON is refused", () => {
    expect(() => parseExactJson("[9007199254740993")).toThrow(SyntaxError);
    expect(() => parseExactJson("09007199254740993")).toThrow(SyntaxError);
  });
});

describe("what no language can pass on", () => {
  const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

  it.each([
    [nested(MAX_DEPTH), undefined],
    [nested(MAX_DEPTH + 1), "it is nested more than 400 levels deep"],
    [nested(100_000), "it is nested more than 400 levels deep"],
    [JSON.stringify("[".repeat(1000)), undefined],
    ["9".repeat(MAX_DIGITS), undefined],
    ["9".repeat(MAX_DIGITS + 1), "it contains a number of more than 4000 digits"],
    [JSON.stringify("9".repeat(5000)), undefined],
    ["[1e308,1e-400]", undefined],
    ["[1,-1e400]", "it contains the number -1e400, which is larger than any double"],
    ["1E+999", "it contains the number 1E+999, which is larger than any double"],
    ['"1e400"', undefined],
    [`${"9".repeat(400)}.0`, `it contains the number ${"9".repeat(40)}, which is larger than any double`],
    [`{"a":[-${"9".repeat(300)}e99]}`, `it contains the number -${"9".repeat(39)}, which is larger than any double`],
    ["9".repeat(400), undefined],
    [`${"9".repeat(209)}e99`, undefined],
    [`0.${"9".repeat(400)}`, undefined],
    ["[true,123456]", undefined],
  ])("a value is measured (case %#)", (json, expected) => {
    expect(findExcess(json)).toBe(expected);
  });

  it("the depth of any JSON is that of its value", () => {
    const depthOf = (value: unknown): number =>
      typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
    fc.assert(fc.property(fc.json(), (json) => measureJson(json).depth === depthOf(JSON.parse(json))));
  });
});
