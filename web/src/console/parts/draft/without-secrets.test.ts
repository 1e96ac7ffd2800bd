import { expect, it } from "vitest";
import { marksSecrets, withoutSecrets } from "./without-secrets.ts";

const schemaOf = (field: object) => ({ type: "object", properties: { name: { type: "string" }, field } });
const text = { type: "string" };

it.each<[string, object, unknown]>([
  ["a password field", { ...text, password: true }, "s-1"],
  ["a field with the format password", { ...text, format: "password" }, "s-1"],
  ["a sensitive field", { ...text, sensitive: true }, "s-1"],
  ["a field that is only written", { ...text, writeOnly: true }, "s-1"],
  ["a resource that is written out", { type: "object", format: "resource-postgresql" }, { host: "db", password: "s-1" }],
  ["the content of a file", { ...text, format: "data-url" }, "data:text/plain;base64,cy0x"],
  ["an encoded file", { ...text, contentEncoding: "base64" }, "cy0x"],
  ["a password in one of several alternatives", { oneOf: [text, { ...text, format: "password" }] }, "s-1"],
])("%s is left out of what a browser stores", (_, field, value) => {
  expect(withoutSecrets({ name: "Ann", field: value }, schemaOf(field))).toEqual({ name: "Ann" });
  expect(marksSecrets(schemaOf(field))).toBe(true);
});

it("a password inside of objects, lists and definitions is left out, and the values next to it remain", () => {
  const login = { type: "object", properties: { user: text, key: { ...text, format: "password" } } };
  const schema = {
    $defs: { login },
    properties: { main: { $ref: "#/$defs/login" }, others: { type: "array", items: { $ref: "#/$defs/login" } } },
  };
  const value = { user: "ann", key: "s-1" };
  expect(withoutSecrets({ main: value, others: [value] }, schema)).toEqual({ main: { user: "ann" }, others: [{ user: "ann" }] });
});

it("references and stored files remain in the place of secrets", () => {
  const schema = { properties: { key: { format: "password" }, db: { format: "resource-db" }, file: { format: "resource-s3_object" } } };
  const values = { key: "$var:f/ops/key", db: "$res:f/ops/db", file: { s3: "a/b.csv" } };
  expect(withoutSecrets(values, schema)).toEqual(values);
});

it("nothing is stored if a schema with secrets has conditions that are not followed", () => {
  const key = { ...text, format: "password" };
  expect(withoutSecrets({ key: "s-1" }, { properties: {}, dependencies: { a: { properties: { key } } } })).toBeUndefined();
  expect(withoutSecrets({ a: "b" }, { properties: { if: text } })).toEqual({ a: "b" });
});

it("values without a schema, or without a secret in it, are stored as they are", () => {
  expect(withoutSecrets({ a: [1] }, undefined)).toEqual({ a: [1] });
  expect(withoutSecrets({ a: [1] }, schemaOf(text))).toEqual({ a: [1] });
});
