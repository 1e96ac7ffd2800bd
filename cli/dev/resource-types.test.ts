import ts from "typescript";
import { describe, expect, it } from "vitest";
import { declareResourceTypes, toType, toTypeName } from "./resource-types.ts";

describe("toType", () => {
  it.each<[unknown, string]>([
    [{ type: "string" }, "string"],
    [{ type: "integer" }, "number"],
    [{ type: ["string", "null"] }, "string | null"],
    [{ type: "string", enum: ["a", "b"] }, '"a" | "b"'],
    [{ const: 1 }, "1"],
    [{ type: "array", items: { type: "string" } }, "string[]"],
    [{ type: "array", items: { type: ["string", "number"] } }, "(string | number)[]"],
    [{ type: "array" }, "unknown[]"],
    [{ anyOf: [{ type: "string" }, { type: "boolean" }] }, "string | boolean"],
    [{ oneOf: [{ type: "string" }, {}] }, "unknown"],
    [{ type: "object" }, "Record<string, unknown>"],
    [{ type: "object", additionalProperties: { type: "number" } }, "Record<string, number>"],
    [{ type: "object", format: "resource-custom_api" }, "RT.CustomApi"],
    [
      { type: "object", properties: { host: { type: "string" }, "a-b": {} }, required: ["host"] },
      '{\n  host: string;\n  "a-b"?: unknown;\n}',
    ],
    [{ allOf: [{ properties: { a: { type: "string" } } }, {}] }, "{\n  a?: string;\n}"],
    [{ $ref: "#/definitions/x" }, "unknown"],
    [undefined, "unknown"],
    ["text", "unknown"],
  ])("the schema %j has the type %s", (schema, expected) => {
    expect(toType(schema)).toBe(expected);
  });
});

it("a resource type is declared with the name that the service reads from a script", () => {
  const names = ["postgresql", "custom_api", "c_my-type", "s3", "2captcha"];
  expect(names.map(toTypeName)).toEqual(["Postgresql", "CustomApi", "CMyType", "S3", "_2captcha"]);
});

describe("declareResourceTypes", () => {
  const types = [
    {
      name: "db",
      description: "A database. */ export const injected = 1; /*",
      schema: { type: "object", properties: { port: { type: "integer", description: "Its\nport" } } },
    },
    { name: "any" },
    { name: "any-", schema: { type: "string" } },
  ];

  it("declares each type once, in the order of the names, with its description", () => {
    expect(declareResourceTypes(types)).toBe(declareResourceTypes(types.toReversed()));
    expect(declareResourceTypes(types)).toContain("    /** Its port */\n    port?: number;\n");
    expect(declareResourceTypes(types).match(/type Any =/g)).toHaveLength(1);
  });

  it("is TypeScript, whatever the descriptions contain", () => {
    const { parseDiagnostics, statements } = ts.createSourceFile(
      "x.d.ts",
      declareResourceTypes(types),
      ts.ScriptTarget.Latest,
    ) as ts.SourceFile & {
      parseDiagnostics: unknown[];
    };
    expect([parseDiagnostics, statements.length]).toEqual([[], 1]);
  });
});
