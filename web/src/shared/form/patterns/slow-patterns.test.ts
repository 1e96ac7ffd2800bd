import type { RJSFSchema } from "@rjsf/utils";
import { describe, expect, it } from "vitest";
import { errorsOf } from "../validator.ts";
import { isSlow, withoutSlowPatterns } from "./slow-patterns.ts";

const named = (pattern: string): RJSFSchema => ({ properties: { name: { type: "string", pattern } } });

describe("the patterns of a form", () => {
  it.each(["^[A-Z]{3}-\\d+$", "^[^@]+@[^@]+\\.[^@]+$", "^(dev|test|prod)$", "^https?://", "\\(\\d+\\)+", "[)+*]+"])(
    "%s is matched in the browser",
    (pattern) => {
      expect(isSlow(pattern, 60)).toBe(false);
      expect(withoutSlowPatterns(named(pattern), { name: "a" })).toEqual(named(pattern));
    },
  );

  it.each(["^(a+)+$", "^(a|a)*$", "(?:a*){5,}b", "a*a*a*a*a*b", `${"a?".repeat(30)}${"a".repeat(30)}`, `${"(a|a)".repeat(30)}b`])(
    "%s is left to the service",
    (pattern) => {
      expect(isSlow(pattern, 60)).toBe(true);
      expect(withoutSlowPatterns(named(pattern), { name: "a".repeat(60) })).toEqual({ properties: { name: { type: "string" } } });
    },
  );

  it("a pattern that is quick for short texts is not matched with a long one", () => {
    expect([isSlow("^a*b*$", 500), isSlow("^a*b*$", 5000)]).toEqual([false, true]);
  });

  it("a hostile pattern with its default stops no form", () => {
    const text = `${"a".repeat(40)}!`;
    const nested: RJSFSchema = { $defs: { a: named("^(a+)+$") }, allOf: [{ $ref: "#/$defs/a" }], ...named("^(a|aa)+$") };
    expect(errorsOf(nested, { name: text })).toEqual([]);
    const byName: RJSFSchema = { patternProperties: { "^(a|aa)+$": { type: "number" } }, additionalProperties: false };
    expect(errorsOf(byName, { [text]: "x" })).toEqual([]);
    expect(errorsOf(named("^b$"), { name: "a" })).toMatchObject([{ path: ["name"] }]);
  });

  it("values that look like patterns stay", () => {
    const schema = { properties: { pattern: { type: "string", pattern: "^(a+)+$", enum: ["x"], default: { pattern: "(a+)+" } } } };
    expect(withoutSlowPatterns(schema, {})).toEqual({
      properties: { pattern: { type: "string", enum: ["x"], default: { pattern: "(a+)+" } } },
    });
    const own = JSON.parse('{"properties":{"__proto__":{"pattern":"^(a+)+$","type":"string"}}}') as object;
    expect(JSON.stringify(withoutSlowPatterns(own, {}))).toBe('{"properties":{"__proto__":{"type":"string"}}}');
  });
});
