import { expect, it } from "vitest";
import { isShowable } from "./showable-schema.ts";

const nested = (levels: number): object => {
  let schema: object = { type: "string" };
  for (let level = 0; level < levels; level += 1) schema = { type: "object", properties: { a: schema } };
  return schema;
};
const fields = (count: number) => ({
  properties: Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, { type: "string" }])),
});
const doubled = {
  $defs: Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => {
      const next = { $ref: `#/$defs/d${at + 1}` };
      return [`d${at}`, { properties: { a: next, b: next } }];
    }),
  ),
  $ref: "#/$defs/d0",
};

it.each<[string, unknown]>([
  ["nothing", undefined],
  ["fields", fields(500)],
  ["nested fields", nested(30)],
  [
    "a tree, whose items name it",
    { $defs: { node: { properties: { items: { type: "array", items: { $ref: "#/$defs/node" } } } } }, $ref: "#/$defs/node" },
  ],
  ["a reference to a part that does not exist", { $ref: "#/$defs/none" }],
  ["a choice of many values", { properties: { a: { enum: Array.from({ length: 10_000 }, (_, at) => at) } } }],
])("a schema with %s is shown as a form", (_, schema) => {
  expect(isShowable(schema)).toBe(true);
});

it.each<[string, unknown]>([
  ["whose fields are too many", fields(2000)],
  ["whose fields are nested too deeply", nested(60)],
  ["whose JSON is nested too deeply for a parser of forms", nested(50_000)],
  ["that refers to itself", { $ref: "#" }],
  ["with a field that refers to the whole", { properties: { a: { $ref: "#" } } }],
  [
    "whose definitions refer to each other",
    { $defs: { a: { properties: { b: { $ref: "#/$defs/b" } } }, b: { allOf: [{ $ref: "#/$defs/a" }] } }, $ref: "#/$defs/a" },
  ],
  ["whose references double at each level", doubled],
  ["that is huge", { properties: { a: { enum: Array.from({ length: 100_000 }, (_, at) => at) } } }],
])("a schema %s is shown as JSON", (_, schema) => {
  expect(isShowable(schema)).toBe(false);
});
