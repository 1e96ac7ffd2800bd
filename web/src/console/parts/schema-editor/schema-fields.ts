import { isJsonObject } from "../../../../../contract/json/json-object.ts";
import { ordered } from "../../../shared/form/schema.ts";

/** A JSON Schema, or a part of one. The editor retains keywords that it does not show. */
export type Schema = Record<string, unknown>;

export interface SchemaField {
  name: string;
  field: Schema;
  required: boolean;
}

/** The kind of value that a field accepts. `other`: only JSON can show the schema, such as `oneOf`. */
export type FieldKind =
  | "text"
  | "multiline"
  | "password"
  | "email"
  | "url"
  | "integer"
  | "number"
  | "boolean"
  | "date"
  | "dateTime"
  | "choice"
  | "choices"
  | "list"
  | "object"
  | "resource"
  | "storedFile"
  | "file"
  | "any"
  | "other";

/** The keywords by which each kind is recognised. */
const KEYWORDS: Readonly<Record<Exclude<FieldKind, "other">, Schema>> = {
  text: { type: "string" },
  multiline: { type: "string", format: "textarea" },
  password: { type: "string", format: "password" },
  email: { type: "string", format: "email" },
  url: { type: "string", format: "uri" },
  integer: { type: "integer" },
  number: { type: "number" },
  boolean: { type: "boolean" },
  date: { type: "string", format: "date" },
  dateTime: { type: "string", format: "date-time" },
  choice: { type: "string", enum: [] },
  choices: { type: "array", items: { type: "string", enum: [] }, uniqueItems: true },
  list: { type: "array", items: { type: "string" } },
  object: { type: "object", properties: {} },
  resource: { type: "object", format: "resource-" },
  storedFile: { type: "object", format: "resource-s3_object" },
  file: { type: "string", format: "data-url" },
  any: {},
};
export const fieldKinds = Object.keys(KEYWORDS) as Exclude<FieldKind, "other">[];

/** Keywords that belong to a kind, and are removed with it. Titles, descriptions and unknown keywords stay. */
const OF_KINDS = new Set(
  "type format enum items uniqueItems properties required order contentEncoding contentMediaType password minLength maxLength pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems default".split(
    " ",
  ),
);
const COMBINED = ["$ref", "oneOf", "anyOf", "allOf", "const", "not", "if"];

const isSet = (value: unknown) => value !== undefined && value !== null && value !== "";

/** Returns the kind of a field. */
export function kindOfField(field: Schema): FieldKind {
  if (COMBINED.some((keyword) => isSet(field[keyword]))) return "other";
  const { type, format, enum: choices, items } = field;
  if (typeof format === "string" && format.startsWith("resource-")) return format === "resource-s3_object" ? "storedFile" : "resource";
  if (!isSet(type)) return isSet(choices) || isSet(field["properties"]) ? "other" : "any";
  switch (type) {
    case "string":
      return kindOfText(field);
    case "array":
      if (items !== undefined && !isJsonObject(items)) return "other";
      return items && Array.isArray(items["enum"]) && items["type"] === "string" ? "choices" : "list";
    case "integer":
    case "number":
      return isSet(choices) ? "other" : type;
    case "boolean":
      return "boolean";
    case "object":
      return "object";
    default:
      return "other";
  }
}

const TEXT_FORMATS: Readonly<Record<string, FieldKind>> = {
  textarea: "multiline",
  multiline: "multiline",
  password: "password",
  email: "email",
  uri: "url",
  date: "date",
  "date-time": "dateTime",
  "data-url": "file",
};

function kindOfText({ format, enum: choices, password, contentEncoding }: Schema): FieldKind {
  if (Array.isArray(choices)) return choices.every((choice) => typeof choice === "string") ? "choice" : "other";
  if (password === true) return "password";
  if (contentEncoding === "base64") return "file";
  return isSet(format) ? (TEXT_FORMATS[String(format)] ?? "text") : "text";
}

/** Changes the kind of a field. Its title, its description and unknown keywords stay. */
export function changeKind(field: Schema, kind: Exclude<FieldKind, "other">): Schema {
  const rest = Object.fromEntries(Object.entries(field).filter(([keyword]) => !OF_KINDS.has(keyword) && !COMBINED.includes(keyword)));
  return { ...rest, ...structuredClone(KEYWORDS[kind]) };
}

const propertiesOf = (schema: Schema): Record<string, Schema> =>
  isJsonObject(schema["properties"]) ? (schema["properties"] as Record<string, Schema>) : {};
const namesOf = (schema: Schema): string[] => ordered(schema["order"], Object.keys(propertiesOf(schema)));
const requiredOf = (schema: Schema): unknown[] => (Array.isArray(schema["required"]) ? schema["required"] : []);

/** Returns the fields of an object's schema, in their order. */
export function listFields(schema: Schema): SchemaField[] {
  const properties = propertiesOf(schema);
  const required = requiredOf(schema);
  return namesOf(schema).map((name) => {
    const field = properties[name];
    return { name, field: isJsonObject(field) ? field : {}, required: required.includes(name) };
  });
}

/** Creates an object of entries. A name such as `__proto__` is an entry like any other. */
const toProperties = (entries: [string, unknown][]) => Object.fromEntries(entries);

/** Replaces the schema of one field. */
export function setField(schema: Schema, name: string, field: Schema): Schema {
  const entries = Object.entries(propertiesOf(schema)).map(([key, value]): [string, unknown] => [key, key === name ? field : value]);
  return { ...schema, properties: toProperties(entries) };
}

/** Adds a text field at the end, with a name that is not used yet. */
export function addField(schema: Schema): { schema: Schema; name: string } {
  const properties = propertiesOf(schema);
  let count = Object.keys(properties).length + 1;
  while (Object.hasOwn(properties, `field_${count}`)) count += 1;
  const name = `field_${count}`;
  const entries: [string, unknown][] = [...Object.entries(properties), [name, { type: "string" }]];
  const order = Array.isArray(schema["order"]) ? { order: [...schema["order"], name] } : {};
  return { name, schema: { ...schema, type: schema["type"] ?? "object", properties: toProperties(entries), ...order } };
}

const replaceIn = (list: unknown, name: string, others: string[]): unknown =>
  Array.isArray(list) ? list.flatMap((entry) => (entry === name ? others : [entry])) : list;

/** Changes `required` and `order`, if the schema has them. */
function replaceName(schema: Schema, name: string, others: string[]): Schema {
  const lists = ["required", "order"].filter((keyword) => Array.isArray(schema[keyword]));
  return { ...schema, ...Object.fromEntries(lists.map((keyword) => [keyword, replaceIn(schema[keyword], name, others)])) };
}

/** Removes a field. */
export function removeField(schema: Schema, name: string): Schema {
  const entries = Object.entries(propertiesOf(schema)).filter(([key]) => key !== name);
  return { ...replaceName(schema, name, []), properties: toProperties(entries) };
}

/** Renames a field, which keeps its position. Returns the schema unchanged if the name is empty or another field has it. */
export function renameField(schema: Schema, name: string, next: string): Schema {
  const properties = propertiesOf(schema);
  if (next === "" || Object.hasOwn(properties, next)) return schema;
  const entries = Object.entries(properties).map(([key, value]): [string, unknown] => [key === name ? next : key, value]);
  return { ...replaceName(schema, name, [next]), properties: toProperties(entries) };
}

/** Moves a field by one position. */
export function moveField(schema: Schema, name: string, by: -1 | 1): Schema {
  const order = namesOf(schema);
  const from = order.indexOf(name);
  const to = from + by;
  if (from < 0 || to < 0 || to >= order.length) return schema;
  order.splice(from, 1);
  order.splice(to, 0, name);
  return { ...schema, order };
}

/** Makes a field required or optional. */
export function setRequired(schema: Schema, name: string, isRequired: boolean): Schema {
  const others = requiredOf(schema).filter((entry) => entry !== name);
  return { ...schema, required: isRequired ? [...others, name] : others };
}

/** Sets a keyword, or removes it if the value is empty. */
export function setKeyword(field: Schema, keyword: string, value: unknown): Schema {
  const { [keyword]: _, ...rest } = field;
  return isSet(value) ? { ...field, [keyword]: value } : rest;
}
