import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseExactJson } from "../../../contract/json/exact-json.ts";
import { formatYaml, parseYaml } from "./yaml.ts";

describe("YAML files", () => {
  it("whole numbers keep their digits, and other values are those of JSON", () => {
    const whole = fc.oneof(
      fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
      fc.bigInt({ min: -(2n ** 55n), max: 2n ** 55n }),
      fc.integer(),
    );
    const values = fc.dictionary(
      fc.string(),
      fc.oneof(whole, fc.array(whole), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string()),
    );
    fc.assert(
      fc.property(values, (value) => {
        const sent = parseExactJson(JSON.stringify(value));
        expect(parseYaml("a.yaml", formatYaml(sent))).toEqual({ value: sent });
      }),
    );
  });

  it.each([
    ["a: 7", 7],
    ["a: 0x1f", 31],
    ["a: 9007199254740993", 9007199254740993n],
    ["a: '9007199254740993'", "9007199254740993"],
    ["a: 1.5", 1.5],
  ])("%s has the expected value", (text, value) => {
    expect(parseYaml("a.yaml", text)).toEqual({ value: { a: value } });
  });
});
