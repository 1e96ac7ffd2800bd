import { describe, expect, it } from "vitest";
import { errorsOf, validator } from "./validator.ts";

const check = (properties: object, values: unknown, more: object = {}) =>
  errorsOf({ type: "object", properties, ...more } as never, values).map(({ property, message }) => [property, message]);

describe("the form's validator", () => {
  it.each([
    [{ type: "string", minLength: 3 }, "x", "This is too short: it needs at least 3 characters."],
    [{ type: "string", maxLength: 1 }, "xyz", "This is too long: it may have at most 1 characters."],
    [{ type: "string", enum: ["a"] }, "b", "Choose one of these."],
    [{ type: "string", pattern: "^a" }, "b", "This does not have the right form."],
    [{ type: "string", format: "email" }, "b", "This does not have the right form."],
    [{ type: "integer", minimum: 5 }, 1, "This is too small: the least is 5."],
    [{ type: "number", maximum: 2.5 }, 3, "This is too large: the most is 2.5."],
    [{ type: "number", exclusiveMaximum: 10 }, 10, "This is too large: it must be less than 10."],
    [{ type: "integer" }, 1.5, "This is not of the right kind."],
    [{ type: "array", minItems: 2 }, [1], "These are too few: at least 2 are needed."],
    [{ type: "array", uniqueItems: true }, [1, 1], "Each may stand here once."],
  ])("says of %j what is wrong with %j", (field, value, message) => {
    expect(check({ a: field }, { a: value })).toEqual([[".a", message]]);
  });

  it("says it at the field that is missing, and a field that was emptied is missing", () => {
    const needed = { required: ["a"] };
    expect(check({ a: { type: "string" } }, {}, needed)).toEqual([[".a", "Fill this in."]]);
    expect(check({ a: { type: "string" } }, { a: undefined }, needed)).toEqual([[".a", "Fill this in."]]);
  });

  it("names what is wrong inside of something once, by its own field", () => {
    const inner = { type: "object", properties: { list: { type: "array", items: { type: "string" } } } };
    expect(check({ in: inner }, { in: { list: ["a", 2] } })).toEqual([[".in.list.1", "This is not of the right kind."]]);
  });

  it("finds fields of any name", () => {
    const schema = { type: "object", properties: { "a.b/c~d é": { type: "string" } }, required: ["a.b/c~d é"] } as const;
    const { errorSchema } = validator.validateFormData({}, schema as never);
    expect(errorSchema).toEqual({ "a.b/c~d é": { __errors: ["Fill this in."] } });
  });

  it("is content with what fits", () => {
    expect(check({ a: { type: "string" }, b: { type: "number" } }, { a: "x", b: 1 })).toEqual([]);
  });

  it("resolves what a part of a schema refers to in the whole one", () => {
    const root = { definitions: { short: { type: "string", maxLength: 2 } } } as never;
    const part = { $ref: "#/definitions/short" } as never;
    expect([validator.isValid(part, "ab", root), validator.isValid(part, "abc", root), validator.isValid(part, undefined, root)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("makes no code of a schema: the page's policy forbids that", () => {
    const { Function: kept } = globalThis;
    globalThis.Function = class extends kept {
      constructor() {
        super();
        throw new Error("code was made");
      }
    } as FunctionConstructor;
    try {
      expect(check({ a: { type: "string", pattern: "^x$" } }, { a: "y" })).toHaveLength(1);
    } finally {
      globalThis.Function = kept;
    }
  });
});
