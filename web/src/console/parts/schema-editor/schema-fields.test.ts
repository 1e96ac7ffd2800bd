import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addField,
  changeKind,
  fieldKinds,
  kindOfField,
  listFields,
  moveField,
  removeField,
  renameField,
  type Schema,
  setField,
  setKeyword,
  setRequired,
} from "./schema-fields.ts";

const schema: Schema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: { a: { type: "string", "x-mine": 1 }, b: { type: "integer" }, c: {} },
  required: ["b"],
  order: ["c", "a"],
};

describe("the fields of a schema", () => {
  it("are listed in their order; fields that the order does not contain follow", () => {
    expect(listFields(schema).map(({ name, required }) => [name, required])).toEqual([
      ["c", false],
      ["a", false],
      ["b", true],
    ]);
  });

  it("move, are renamed and removed together with their entries in required and order", () => {
    expect(listFields(moveField(schema, "a", -1)).map(({ name }) => name)).toEqual(["a", "c", "b"]);
    expect(moveField(schema, "c", -1)).toBe(schema);
    const renamed = renameField(schema, "b", "z");
    expect([renamed["required"], listFields(renamed).map(({ name }) => name)]).toEqual([["z"], ["c", "a", "z"]]);
    expect(renameField(schema, "a", "b")).toBe(schema);
    expect(removeField(schema, "a")).toEqual({ ...schema, properties: { b: { type: "integer" }, c: {} }, order: ["c"] });
  });

  it("get an unused name, and become required and optional", () => {
    const { name, schema: more } = addField(schema);
    expect([name, listFields(more).at(-1)?.name]).toEqual(["field_4", "b"]);
    expect(setRequired(setRequired(schema, "a", true), "b", false)["required"]).toEqual(["a"]);
  });

  it("a field named like a part of every object is a field like any other", () => {
    const hostile = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"},"a":{}}}') as Schema;
    expect(JSON.stringify(setField(hostile, "a", { type: "number" }))).toBe(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"a":{"type":"number"}}}',
    );
  });
});

describe("the kind of a field", () => {
  it.each(fieldKinds)("%s is recognised after it was chosen", (kind) => {
    expect(kindOfField(changeKind({ type: "integer", minimum: 1, title: "T" }, kind))).toBe(kind);
  });

  it("a change keeps titles and unknown keywords, and drops the rules of the former kind", () => {
    expect(changeKind({ type: "integer", minimum: 1, default: 3, title: "T", "x-mine": [1] }, "text")).toEqual({
      type: "string",
      title: "T",
      "x-mine": [1],
    });
  });

  it.each<Schema>([{ oneOf: [{ type: "string" }] }, { type: ["string", "null"] }, { type: "integer", enum: [1] }, { $ref: "#/x" }])(
    "%j is shown as JSON only",
    (field) => {
      expect(kindOfField(field)).toBe("other");
    },
  );
});

it("an edit of one field leaves everything else as it was", () => {
  const fields = fc.dictionary(fc.string({ minLength: 1, maxLength: 6 }), fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 }), {
    minKeys: 1,
    maxKeys: 5,
  });
  const rest = fc.dictionary(fc.constantFrom("$schema", "title", "x-mine", "$defs", "additionalProperties"), fc.jsonValue());
  fc.assert(
    fc.property(fields, rest, (properties, others) => {
      const before: Schema = { ...others, type: "object", properties };
      const [edited] = listFields(before);
      const name = edited?.name ?? "";
      const after = setField(before, name, setKeyword(edited?.field ?? {}, "description", "changed"));
      const { [name]: _, ...untouched } = properties;
      const { [name]: changed, ...remaining } = after["properties"] as Record<string, Schema>;
      expect({ ...after, properties: remaining }).toEqual({ ...before, properties: untouched });
      expect({ ...changed, description: undefined }).toEqual({ ...properties[name], description: undefined });
    }),
  );
});
