import { describe, expect, it } from "vitest";
import { errorsOf, validator } from "./validator.ts";

const check = (properties: object, values: unknown, more: object = {}) =>
  errorsOf({ type: "object", properties, ...more } as never, values).map(({ property, message }) => [property, message]);

describe("the validator of a form", () => {
  it.each([
    [{ type: "string", minLength: 3 }, "x", "This is too short. Enter at least 3 characters."],
    [{ type: "string", maxLength: 1 }, "xyz", "This is too long. Enter at most 1 characters."],
    [{ type: "string", enum: ["a"] }, "b", "Choose one of these values."],
    [{ type: "string", pattern: "^a" }, "b", "This value has the wrong format."],
    [{ type: "string", format: "email" }, "b", "This value has the wrong format."],
    [{ type: "integer", minimum: 5 }, 1, "This is too small. The minimum is 5."],
    [{ type: "number", maximum: 2.5 }, 3, "This is too large. The maximum is 2.5."],
    [{ type: "number", exclusiveMaximum: 10 }, 10, "This is too large. It must be less than 10."],
    [{ type: "integer" }, 1.5, "This value has the wrong type."],
    [{ type: "array", minItems: 2 }, [1], "Choose or enter at least 2 items."],
    [{ type: "array", uniqueItems: true }, [1, 1], "Each item may appear only once."],
  ])("the field %j reports the error of %j", (field, value, message) => {
    expect(check({ a: field }, { a: value })).toEqual([[".a", message]]);
  });

  it("a missing field and an emptied one both report a missing value", () => {
    const needed = { required: ["a"] };
    expect(check({ a: { type: "string" } }, {}, needed)).toEqual([[".a", "This field is required."]]);
    expect(check({ a: { type: "string" } }, { a: undefined }, needed)).toEqual([[".a", "This field is required."]]);
  });

  it("an error inside of a value is reported once, with its own field", () => {
    const inner = { type: "object", properties: { list: { type: "array", items: { type: "string" } } } };
    expect(check({ in: inner }, { in: { list: ["a", 2] } })).toEqual([[".in.list.1", "This value has the wrong type."]]);
  });

  it("a field of any name can be reported", () => {
    const schema = { type: "object", properties: { "a.b/c~d é": { type: "string" } }, required: ["a.b/c~d é"] } as const;
    const { errorSchema } = validator.validateFormData({}, schema as never);
    expect(errorSchema).toEqual({ "a.b/c~d é": { __errors: ["This field is required."] } });
  });

  it("a valid value reports no error", () => {
    expect(check({ a: { type: "string" }, b: { type: "number" } }, { a: "x", b: 1 })).toEqual([]);
  });

  it("a reference within a schema is resolved in the complete schema", () => {
    const root = { definitions: { short: { type: "string", maxLength: 2 } } } as never;
    const part = { $ref: "#/definitions/short" } as never;
    expect([validator.isValid(part, "ab", root), validator.isValid(part, "abc", root), validator.isValid(part, undefined, root)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("the validator compiles no code, because the policy of the page forbids that", () => {
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
