import { expect, it } from "vitest";
import { readJsonObject } from "./json-object.ts";

it.each([
  ['{"a": 1}', { object: { a: 1 } }],
  ["  ", { object: {} }],
  ["[1]", { problem: 'Enter an object, such as {"name": "Ann"}.' }],
  ["null", { problem: 'Enter an object, such as {"name": "Ann"}.' }],
  ["{", { problem: "Enter valid JSON." }],
])("the text %j is read as %j", (text, expected) => {
  expect(readJsonObject(text)).toEqual(expected);
});
