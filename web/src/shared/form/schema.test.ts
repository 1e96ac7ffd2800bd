import { describe, expect, it } from "vitest";
import { ordered, preparedForm } from "./schema.ts";

const text = { type: "string" };
const prepare = (properties: Record<string, unknown>, more: object = {}) =>
  preparedForm({ form_schema: { type: "object", properties }, ...more });

describe("the fields of a form", () => {
  it("the fields are in the given order, followed by those that the order omits", () => {
    expect(ordered(["c", "a"], ["a", "b", "c"])).toEqual(["c", "a", "b"]);
    expect(ordered(["c", "gone", "c"], ["a", "c"])).toEqual(["c", "a"]);
    expect(ordered(undefined, ["a", "b"])).toEqual(["a", "b"]);
    const form = preparedForm({ form_schema: { properties: { a: text, b: text }, order: ["b", "a"], required: ["a", "gone"] } });
    expect([form?.uiSchema["ui:order"], form?.schema.required, form?.schema]).toEqual([
      ["b", "a"],
      ["a"],
      expect.not.objectContaining({ order: expect.anything() }),
    ]);
  });

  it("the fields contain the default values of the step, if the field exists", () => {
    expect(prepare({ a: text, b: text }, { default_args: { a: "x", other: 1 } })?.values).toEqual({ a: "x" });
  });

  it("the fields offer the choices of the step, single or multiple", () => {
    const form = prepare({ one: text, several: { type: "array", items: text } }, { enums: { one: ["x", "y"], several: ["p", "q"] } });
    expect(form?.schema.properties).toEqual({
      one: { type: "string", enum: ["x", "y"] },
      several: { type: "array", items: { type: "string", enum: ["p", "q"] }, uniqueItems: true },
    });
    expect(form?.uiSchema["several"]).toEqual({ "ui:widget": "checkboxes" });
  });

  it("a field is a file if its schema is a data URL or base64, alone or in a list", () => {
    const form = prepare({
      url: { type: "string", format: "data-url" },
      bytes: { type: "string", contentEncoding: "base64" },
      many: { type: "array", items: { type: "string", contentEncoding: "base64" } },
    });
    for (const name of ["url", "bytes", "many"]) expect([name, form?.uiSchema[name]]).toEqual([name, { "ui:widget": "file" }]);
  });

  it("values without a schema are entered as JSON", () => {
    const form = prepare({
      object: { type: "object" },
      any: {},
      list: { type: "array" },
      inner: { type: "object", properties: { x: {} } },
    });
    for (const name of ["object", "any", "list"]) expect([name, form?.uiSchema[name]]).toEqual([name, { "ui:field": "json" }]);
    // rjsf shows no field for a schema without keywords.
    expect(form?.schema.properties?.["any"]).toEqual({ title: "any" });
    expect(form?.schema.properties?.["inner"]).toMatchObject({ properties: { x: { title: "x" } } });
    expect(form?.uiSchema["inner"]).toEqual({ "ui:order": ["x"], x: { "ui:field": "json" } });
  });

  it("a field loses keywords without a meaning, and a default of null remains", () => {
    const form = prepare({ a: { type: "string", format: "", enum: null, default: "" }, b: { type: ["string", "null"], default: [null] } });
    expect(form?.schema.properties).toEqual({
      a: { type: "string", default: "" },
      b: { type: ["string", "null"], default: [null] },
    });
  });

  it("long texts, passwords, resources and stored files have their own fields", () => {
    const properties = {
      note: { type: "string", format: "textarea" },
      secret: { type: "string", format: "password", default: "never shown" },
      database: { type: "object", format: "resource-postgresql" },
      photo: { type: "object", format: "resource-s3_object" },
    };
    expect(prepare(properties)?.uiSchema).toMatchObject({
      note: { "ui:widget": "textarea" },
      secret: { "ui:widget": "password" },
      database: { "ui:field": "json" },
      photo: { "ui:field": "json" },
    });
    expect(prepare(properties)?.schema.properties?.["secret"]).toEqual({ type: "string", format: "password" });
    // A reference to a resource is a text.
    expect(prepare(properties)?.schema.properties?.["database"]).toEqual({ format: "resource-postgresql" });
    expect(prepare(properties, { choosesStored: true })?.uiSchema).toMatchObject({
      database: { "ui:field": "resource" },
      photo: { "ui:field": "storedFile" },
    });
  });

  it("alternatives have titles, and the value by which one is recognised is set and hidden", () => {
    const card = { type: "object", properties: { kind: { type: "string", enum: ["card"] }, number: text } };
    const form = prepare({ pay: { oneOf: [{ ...card, title: "Card" }, { type: "number" }, {}] } });
    expect(form?.schema.properties?.["pay"]).toEqual({
      oneOf: [
        { ...card, title: "Card", properties: { ...card.properties, kind: { type: "string", enum: ["card"], default: "card" } } },
        { type: "number", title: "Number" },
        { title: "Any value" },
      ],
    });
    expect(form?.uiSchema["pay"]).toEqual({
      oneOf: [{ "ui:order": ["kind", "number"], kind: { "ui:widget": "hidden" } }, {}, { "ui:field": "json" }],
    });
  });

  it("an alternative is also recognised by a constant", () => {
    const form = prepare({ pay: { oneOf: [{ type: "object", properties: { kind: { const: "card" }, number: text } }] } });
    expect(form?.schema.properties?.["pay"]).toMatchObject({ oneOf: [{ properties: { kind: { const: "card", default: "card" } } }] });
    expect(form?.uiSchema["pay"]).toMatchObject({ oneOf: [{ kind: { "ui:widget": "hidden" } }] });
  });

  it("a required box that is not ticked is a no, at each level, unless it has to be ticked", () => {
    const box = { type: "boolean" };
    const properties = { yes: box, other: box, agreed: { ...box, const: true }, on: { ...box, default: true } };
    const form = preparedForm({
      form_schema: {
        properties: { ...properties, inner: { type: "object", properties: { yes: box }, required: ["yes"] } },
        required: Object.keys(properties).filter((name) => name !== "other"),
      },
    });
    expect(form?.schema.properties).toEqual({
      yes: { ...box, default: false },
      other: box,
      agreed: { ...box, const: true },
      on: { ...box, default: true },
      inner: { type: "object", properties: { yes: { ...box, default: false } }, required: ["yes"] },
    });
  });

  it("stored files and resources are chosen in lists and nested objects too", () => {
    const file = { type: "object", format: "resource-s3_object" };
    const form = prepare(
      { files: { type: "array", items: file }, inner: { type: "object", properties: { file } } },
      { choosesStored: true },
    );
    expect(form?.uiSchema).toMatchObject({
      files: { items: { "ui:field": "storedFile" } },
      inner: { file: { "ui:field": "storedFile" } },
    });
  });

  it("a schema that is absent or without properties has no fields", () => {
    expect([preparedForm({}), prepare({}), preparedForm({ form_schema: { properties: null } })]).toEqual([undefined, undefined, undefined]);
  });

  it("a field may have any name", () => {
    const form = prepare({ constructor: text, __proto__x: text, "a.b c": text }, { enums: {}, default_args: {} });
    expect(form?.uiSchema["ui:order"]).toEqual(["constructor", "__proto__x", "a.b c"]);
    expect(form?.values).toEqual({});
  });
});
