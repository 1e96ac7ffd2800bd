import { describe, expect, it } from "vitest";
import { checkView, type Entries, fillView, type View } from "../../../../test/support/chats/slack-view.ts";
import type { ChatFormOptions } from "../../chat-message.ts";
import { type ChatField, toChatFields } from "../../form/chat-form.ts";
import { parseFormOptions } from "../../form/parse-form-options.ts";
import { readValues, toFieldErrors } from "../../form/read-values.ts";
import { buildFormDialog, buildSuggestions } from "./build-form-dialog.ts";
import { stateSchema, toSlackForm } from "./form-call.ts";

const text = { type: "string" };
const clicked = { reference: "a.b.c", channel: "C0", ts: "1.2" };

function fieldsOf(schema: object, options: ChatFormOptions = {}): ChatField[] {
  const fields = toChatFields({ type: "object", ...schema }, options);
  if (typeof fields === "string") throw new Error(fields);
  return fields;
}
function dialogOf(fields: ChatField[]): View {
  const dialog = buildFormDialog({ title: "Deploy", page: "https://svc.example/approve", fields }, clicked);
  if (typeof dialog === "string") throw new Error(dialog);
  const view = dialog as unknown as View;
  checkView(view);
  return view;
}
function submit(fields: ChatField[], entries: Entries = {}) {
  const { inputs } = toSlackForm(stateSchema.parse(fillView(dialogOf(fields), entries)));
  return readValues(fields, inputs);
}
const elementsOf = (fields: ChatField[]) => dialogOf(fields).blocks.flatMap(({ element }) => element ?? []);

describe("a field of a form in Slack", () => {
  it.each<[string, object, string, Entries[string], unknown]>([
    ["a text", text, "plain_text_input", "a\nb", "a\nb"],
    ["a long text", { ...text, format: "textarea" }, "plain_text_input", "a\nb", "a\nb"],
    ["an address of mail", { ...text, format: "email" }, "email_text_input", "a@example.com", "a@example.com"],
    ["a URL", { ...text, format: "uri" }, "url_text_input", "https://example.com", "https://example.com"],
    ["a whole number", { type: "integer" }, "number_input", "42", 42],
    ["a number", { type: "number" }, "number_input", "1.5", 1.5],
    ["a number or nothing", { type: ["null", "number"] }, "number_input", "-0.5", -0.5],
    ["a date", { ...text, format: "date" }, "datepicker", "2026-11-27", "2026-11-27"],
    ["a time", { ...text, format: "date-time" }, "datetimepicker", 1_795_795_200, "2026-11-27T16:00:00Z"],
    ["a box", { type: "boolean" }, "checkboxes", ["Yes"], true],
    ["a choice", { enum: ["a", 2, null] }, "static_select", "2", 2],
    ["a choice with titles", { oneOf: [{ const: 1, title: "One" }, { const: 2 }] }, "static_select", "One", 1],
    ["a constant", { const: "x" }, "static_select", "x", "x"],
    ["several choices", { type: "array", items: { enum: ["a", "b", "c"] } }, "multi_static_select", ["c", "a"], ["c", "a"]],
    ["a list of texts", { type: "array", items: text }, "plain_text_input", " a b \n\n c\n", ["a b", "c"]],
    ["an object", { type: "object" }, "plain_text_input", '{"a":[1]}', { a: [1] }],
    ["a list of numbers", { type: "array", items: { type: "number" } }, "plain_text_input", "[1, 2]", [1, 2]],
    ["any value", {}, "plain_text_input", '"x"', "x"],
    ["a resource", { type: "object", format: "resource-postgresql" }, "plain_text_input", '{"host":"a"}', { host: "a" }],
  ])("%s has an element of Slack and becomes a value of its type", (_, schema, type, entry, value) => {
    const fields = fieldsOf({ properties: { a: schema } });
    expect(elementsOf(fields).map((element) => element.type)).toEqual([type]);
    expect(submit(fields, { a: entry })).toEqual({ values: { a: value } });
  });

  it("shows its default value, which is submitted without a change", () => {
    const defaults = {
      text: "x",
      number: 1.5,
      date: "2026-11-27",
      at: "2026-11-27T17:00:00+01:00",
      box: true,
      one: "b",
      several: ["a", "b"],
      lines: ["a", "b"],
      json: { a: { b: null } },
    };
    const fields = fieldsOf(
      {
        properties: {
          text: { ...text, default: "of the schema" },
          number: { type: "number" },
          date: { ...text, format: "date" },
          at: { ...text, format: "date-time" },
          box: { type: "boolean" },
          one: { enum: ["a", "b"] },
          several: { type: "array", items: text },
          lines: { type: "array", items: text },
          json: { type: "object" },
        },
      },
      { defaults, enums: { several: ["a", "b", "c"] } },
    );
    expect(submit(fields)).toEqual({ values: { ...defaults, at: "2026-11-27T16:00:00Z" } });
  });

  it("without a value is left out, but a box is a no, and a required list is empty", () => {
    const fields = fieldsOf({
      properties: {
        a: text,
        box: { type: "boolean" },
        lines: { type: "array", items: text },
        list: { type: "array", items: { enum: ["x"] } },
      },
      required: ["list", "lines", "a"],
    });
    expect(
      dialogOf(fields)
        .blocks.slice(1)
        .map(({ optional }) => optional),
    ).toEqual([false, true, true, true]);
    expect(submit(fields)).toEqual({ values: { box: false, lines: [], list: [] } });
  });

  it("contains files as data URLs or base64, alone or in a list", () => {
    const base64 = { ...text, contentEncoding: "base64" };
    const fields = fieldsOf({ properties: { url: { ...text, format: "data-url" }, many: { type: "array", items: base64 } } });
    expect(elementsOf(fields)).toMatchObject([
      { type: "file_input", max_files: 1 },
      { type: "file_input", max_files: 10 },
    ]);
    const file = { name: 'a".txt', type: "text/plain", base64: "aGk=" };
    expect(readValues(fields, { f0: { files: [file] }, f1: { files: [file, file] } })).toEqual({
      values: { url: "data:text/plain;name=a%22.txt;base64,aGk=", many: ["aGk=", "aGk="] },
    });
  });

  it.each<[string, object, Entries[string], RegExp]>([
    ["a fraction", { type: "integer" }, "1.5", /whole number/],
    ["a number with too many digits", { type: "integer" }, "9007199254740993", /too many digits/],
    ["a text that is no number", { type: "number" }, "1,5", /Enter a number/],
    ["an infinite number", { type: "number" }, "1e999", /Enter a number/],
    ["a text that is not JSON", { type: "object" }, "{a:1}", /not valid JSON/],
    ["JSON that is too deep", { type: "object" }, "[".repeat(2000) + "]".repeat(2000), /./],
  ])("reports %s", (_, schema, entry, error) => {
    expect(submit(fieldsOf({ properties: { a: schema } }), { a: entry })).toEqual({ errors: { f0: expect.stringMatching(error) } });
  });

  it("reports a choice that is no longer offered, and an input of another kind", () => {
    const before = fieldsOf({ properties: { a: text, b: text } }, { enums: { a: ["dev", "live"] } });
    const { inputs } = toSlackForm(stateSchema.parse(fillView(dialogOf(before), { a: "live", b: "x" })));
    const after = fieldsOf({ properties: { a: text, b: text } }, { enums: { a: ["dev", "test"], b: ["x"] } });
    expect(readValues(after, inputs)).toEqual({ errors: { f0: expect.stringMatching(/changed/), f1: expect.stringMatching(/changed/) } });
    expect(readValues(fieldsOf({ properties: { a: text } }), inputs)).toEqual({ errors: { f0: expect.stringMatching(/changed/) } });
  });
});

describe("a form in Slack", () => {
  it("has its fields in order, with titles, hints and escaped texts of users", () => {
    const fields = fieldsOf({
      properties: { b: { ...text, title: "<!channel>", description: "<https://evil.example|Safe>" }, a: { enum: ["<@U1>"] } },
      order: ["a", "gone", "a"],
    });
    const [, first, second] = dialogOf(fields).blocks;
    expect(first).toMatchObject({ label: { text: "a" }, element: { options: [{ text: { text: "&lt;@U1&gt;" } }] } });
    expect(second).toMatchObject({ label: { text: "&lt;!channel&gt;" }, hint: { text: "&lt;https://evil.example|Safe&gt;" } });
  });

  it.each<[string, object, RegExp]>([
    ["a password", { a: { ...text, format: "password" } }, /field a is a password/],
    ["a list of passwords", { a: { type: "array", items: { ...text, password: true } } }, /field a is a password/],
    ["a nested form", { a: { type: "object", properties: { b: text } } }, /field a has fields or alternatives inside/],
    ["a list of nested forms", { a: { type: "array", items: { type: "object", properties: {} } } }, /inside/],
    ["values by pattern", { a: { type: "object", additionalProperties: { ...text, password: true } } }, /inside/],
    ["alternatives", { a: { oneOf: [text, { type: "number" }] } }, /inside/],
    ["a reference", { a: { $ref: "#/$defs/a" } }, /inside/],
    ["no choices", { a: { ...text, enum: [] } }, /field a has no choices/],
    ["a long default", { a: { ...text, default: "x".repeat(3001) } }, /default value of the field a/],
    ["a default of another type", { a: { type: "number", default: "1" } }, /default value of the field a/],
    ["a file with a default", { a: { ...text, format: "data-url", default: "data:,x" } }, /default value of the field a/],
    ["91 fields", Object.fromEntries(Array.from({ length: 91 }, (_, index) => [`f${index}`, text])), /more than 90 fields/],
  ])("with %s has a reason for which only the page can show it", (_, properties, reason) => {
    expect(toChatFields({ properties }, {})).toMatch(reason);
  });

  it("does not fit if Slack allows no dialog of its size, or shows two choices alike", () => {
    const choices = Array.from({ length: 100 }, (_, index) => `${index}${"x".repeat(70)}`);
    const many = fieldsOf({ properties: Object.fromEntries(choices.slice(0, 30).map((name) => [name, { enum: choices }])) });
    expect(() => dialogOf(many)).toThrow(/larger than Slack allows/);
    const alike = fieldsOf({ properties: { a: { enum: [`${"x".repeat(80)}1`, `${"x".repeat(80)}2`] } } });
    expect(() => dialogOf(alike)).toThrow(/differ only after 75 characters/);
  });

  it("fits with 90 fields and texts of any length", () => {
    const long = "&".repeat(5000);
    const names = Array.from({ length: 90 }, (_, index) => `${index} ${"n".repeat(400)}`);
    const fields = fieldsOf({ properties: Object.fromEntries(names.map((name) => [name, text])) });
    expect(dialogOf(fields).blocks).toHaveLength(91);
    expect(dialogOf(fieldsOf({ properties: { [long]: { enum: [long], title: long, description: long } } })).blocks).toHaveLength(2);
  });

  it("suggests up to a hundred choices that contain what a person types", () => {
    const [field] = fieldsOf({ properties: { a: { enum: Array.from({ length: 300 }, (_, index) => `City ${index}`) } } });
    expect(elementsOf(field ? [field] : [])).toMatchObject([{ type: "external_select", min_query_length: 0 }]);
    expect(buildSuggestions(field, " ").options).toHaveLength(100);
    expect(buildSuggestions(field, " cITY 29").options).toHaveLength(11);
    expect(buildSuggestions(undefined, "")).toEqual({ options: [] });
  });

  it("may have fields of any name, and takes nothing from inputs that it does not have", () => {
    const fields = fieldsOf({ properties: JSON.parse('{"__proto__":{"type":"string"},"constructor":{"type":"string"}}') });
    expect(readValues(fields, { f0: { text: "a" }, f9: { text: "x" }, constructor: { text: "y" } })).toEqual({
      values: JSON.parse('{"__proto__":"a"}'),
    });
  });

  it("shows each fault at its field, and others at the first one", () => {
    const fields = fieldsOf({ properties: { a: text, b: { type: "object" } } });
    expect(toFieldErrors(fields, [{ at: ["b", "c", "0"], reason: "must be number" }, { reason: "must not refer to variables" }])).toEqual({
      f1: "The value b.c.0 must be number.",
      f0: "The value must not refer to variables.",
    });
  });
});

describe("the values and choices that a step sends with its message", () => {
  it.each<[string, Parameters<typeof parseFormOptions>[0], ReturnType<typeof parseFormOptions>]>([
    ["are objects", { defaultsJson: '{"a":1}', enumsJson: '{"b":["x",2]}' }, { defaults: { a: 1 }, enums: { b: ["x", "2"] } }],
    ["may be absent", { defaultsJson: "", enumsJson: undefined }, {}],
    ["must be objects", { defaultsJson: "[1]" }, "default_args_json is not a JSON object"],
    ["must be JSON", { enumsJson: "{" }, "dynamic_enums_json is not a JSON object"],
    ["must be lists of choices", { enumsJson: '{"b":"x"}' }, "dynamic_enums_json contains a value that is not a list"],
  ])("%s", (_, texts, options) => {
    expect(parseFormOptions(texts)).toEqual(options);
  });
});
