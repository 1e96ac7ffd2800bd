import { describe, expect, it } from "vitest";
import { toArgumentsSchema } from "../../signatures/parse-source.ts";
import { parseSignature } from "../../signatures/signature.ts";
import { mergeSchema } from "./merge-schema.ts";

/** Merges the schema of a TypeScript function's parameters into that of its argument `x`. */
function merge(parameters: string, x: object | undefined) {
  const inferred = toArgumentsSchema(parseSignature("bun", `export async function main(${parameters}) {}`));
  const existing = x && { type: "object", properties: { x }, required: ["x"], title: "Form" };
  return mergeSchema(inferred, existing) as { properties: Record<string, object>; required: string[]; title?: string };
}

describe("mergeSchema", () => {
  it.each<[string, string, object | undefined, object]>([
    ["the type of the source", "x: number", { type: "string" }, { type: "number" }],
    ["the source without an existing schema", "x: string", undefined, { type: "string" }],
    ["the author's description", "x: string", { type: "string", description: "D" }, { type: "string", description: "D" }],
    ["the description also with another type", "x: number", { type: "string", description: "D" }, { type: "number", description: "D" }],
    ["the author's other fields", "x: string", { type: "string", enum: ["a"], title: "T" }, { type: "string", enum: ["a"], title: "T" }],
    ["no fields that belong to another type", "x: number", { type: "string", enum: ["a"], minLength: 1 }, { type: "number" }],
    ["the author's default", "x: string", { type: "string", default: "a" }, { type: "string", default: "a" }],
    ["the default of the source before the author's", 'x = "b"', { type: "string", default: "a" }, { type: "string", default: "b" }],
    ["the author's type where the source has none", "x: any", { type: "string", format: "date" }, { type: "string", format: "date" }],
    ["fields of an argument without a type", "x: string", { title: "T" }, { type: "string", title: "T" }],
    [
      "fields when the value may also be null",
      "x: string | null",
      { type: "string", title: "T" },
      { type: ["string", "null"], title: "T" },
    ],
    [
      "descriptions inside of objects and lists",
      "x: { a: number }[]",
      { type: "array", items: { type: "object", properties: { a: { type: "number", description: "A" }, gone: { type: "number" } } } },
      {
        type: "array",
        items: { type: "object", properties: { a: { type: "number", description: "A" } }, required: ["a"], order: ["a"] },
      },
    ],
  ])("has %s", (_, parameters, existing, expected) => {
    expect(merge(parameters, existing).properties["x"]).toEqual(expected);
  });

  it("has exactly the arguments of the source, and the author's fields of the whole schema", () => {
    const merged = merge("y: string, z = 1", { type: "string" });
    expect([Object.keys(merged.properties), merged.required, merged.title]).toEqual([["y", "z"], ["y"], "Form"]);
  });
});
