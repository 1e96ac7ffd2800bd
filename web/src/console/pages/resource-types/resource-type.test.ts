import { expect, it } from "vitest";
import { parseSchema, parseTypeFile } from "./resource-type.ts";

it("a schema is a JSON object", () => {
  expect(parseSchema('{"type":"object"}')).toEqual({ type: "object" });
  for (const text of ["", "{", "[]", "null", '"text"']) expect(parseSchema(text)).toBeUndefined();
});

it("the file of a resource type gives its name, its description and its schema", () => {
  const schema = '{\n  "type": "object"\n}';
  expect(parseTypeFile("acme_crm.resource-type.json", '{"schema": {"type": "object"}, "description": "A CRM"}')).toEqual({
    name: "acme_crm",
    description: "A CRM",
    schema,
  });
  expect(parseTypeFile("download.json", '{"name": "acme", "schema": {"type": "object"}, "description": 1}')).toEqual({
    name: "acme",
    description: "",
    schema,
  });
  expect(parseTypeFile("a.json", '{"properties": {}}')).toBeUndefined();
  expect(parseTypeFile("a.json", "name: acme")).toBeUndefined();
});
