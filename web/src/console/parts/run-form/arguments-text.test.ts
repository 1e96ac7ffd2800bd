import { expect, it } from "vitest";
import { readArguments } from "./arguments-text.ts";

const schema = { type: "object", properties: { age: { type: "number" } }, required: ["age"] };

it.each([
  ['{"age": 3}', { args: { age: 3 } }],
  ['{"age": "$var:f/ops/age"}', { args: { age: "$var:f/ops/age" } }],
  ["{", { problem: "Enter valid JSON." }],
  ["[1]", { problem: 'Enter an object, such as {"name": "Ann"}.' }],
  ['{"age": "old"}', { problem: "age: This value has the wrong type." }],
  ["", { problem: "age: This field is required." }],
])("the text %s is read as %j", (text, expected) => {
  expect(readArguments(text, schema)).toEqual(expected);
});

it("arguments without a schema are not checked", () => {
  expect(readArguments("", undefined)).toEqual({ args: {} });
});

it("arguments of a hostile schema are not checked in the browser", () => {
  const definitions = Array.from({ length: 30 }, (_, at) => {
    const next = { $ref: `#/$defs/d${at + 1}` };
    return [`d${at}`, { allOf: [next, next] }];
  });
  for (const hostile of [{ $ref: "#" }, { $defs: { ...Object.fromEntries(definitions), d30: {} }, $ref: "#/$defs/d0" }]) {
    expect(readArguments('{"a": 1}', hostile)).toEqual({ args: { a: 1 } });
  }
});
