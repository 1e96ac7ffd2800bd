import { expect, it } from "vitest";
import { declareResourceTypes } from "./declare-resource-types.ts";

const typeOf = (schema: unknown) => /type T = (.*);$/m.exec(declareResourceTypes([{ name: "t", schema }], new Set()))?.[1];
const fields = (properties: object, more = {}) => ({ type: "object", properties, ...more });

it.each<[unknown, string]>([
  [fields({ a: { type: "string" }, "b-c": { type: ["integer", "null"] } }, { required: ["a"] }), '{ a: string; "b-c"?: number | null; }'],
  [fields({ a: { enum: ["x", 1, null] } }), '{ a?: "x" | 1 | null; }'],
  [fields({ a: { type: "array", items: { type: "boolean" } } }), "{ a?: Array<boolean>; }"],
  [fields({ a: { anyOf: [{ type: "string" }, { const: 2 }] } }), "{ a?: string | 2; }"],
  [fields({ a: { type: "string", nullable: true } }), "{ a?: string | null; }"],
  [{ type: "object" }, "Record<string, any>"],
  [fields({ a: { $ref: "#/$defs/b" } }), "{ a?: any; }"],
  [undefined, "any"],
  ["text", "any"],
])("a schema is a type: %j", (schema, type) => {
  expect(typeOf(schema)).toBe(type);
});

it("a name or a comment of a hostile schema stays inside of its place", () => {
  const name = '"]; declare const evil: 1; //';
  expect(typeOf(fields({ [name]: { type: "string", description: "*/ } evil /*" } }))).toBe(
    `{ /** * / } evil /* */ ${JSON.stringify(name)}?: string; }`,
  );
  let deep: object = { type: "string" };
  for (let level = 0; level < 1000; level++) deep = fields({ a: deep });
  expect(typeOf(deep)?.length).toBeLessThan(200);
});

it("each type has the names that scripts use, unless the language has the name", () => {
  const text = declareResourceTypes(
    [{ name: "aws_account" }, { name: "response" }, { name: "a-b" }, { name: "Aws_account" }],
    new Set(["Response"]),
  );
  expect(text.match(/^type \w+/gm)).toEqual(["type AwsAccount", "type Resource"]);
  expect(text).toContain('"a-b": any;');
  expect(text.match(/type AwsAccount = any/g)).toHaveLength(1);
});
