import type { RJSFSchema, UiSchema } from "@rjsf/utils";
import { isJsonObject } from "../../../../contract/json/json-object.ts";

interface Asked {
  form_schema?: Record<string, unknown> | undefined;
  default_args?: Record<string, unknown> | undefined;
  enums?: Record<string, string[]> | undefined;
  /** Whether resources and stored files are chosen. Otherwise, their values are entered as JSON. */
  choosesStored?: boolean;
}

export interface PreparedForm {
  schema: RJSFSchema;
  uiSchema: UiSchema;
  /** The initial values of the fields, in addition to their own defaults. */
  values: Record<string, unknown>;
}

/** Builds a form for rjsf. Returns `undefined` if there is nothing to fill in. */
export function preparedForm({ form_schema, default_args = {}, enums = {}, choosesStored = false }: Asked): PreparedForm | undefined {
  const whole = cleaned(form_schema ?? {}) as Record<string, unknown>;
  const properties = isJsonObject(whole["properties"]) ? whole["properties"] : {};
  const names = Object.keys(properties);
  if (names.length === 0) return undefined;
  const fields = Object.fromEntries(
    names.map((name) => [
      name,
      filled(name, withChoices(properties[name], Object.hasOwn(enums, name) ? enums[name] : undefined), whole["required"]),
    ]),
  );
  const { order, ...rest } = whole;
  const required = Array.isArray(whole["required"]) ? whole["required"].filter((name) => names.includes(name)) : [];
  return {
    schema: { ...rest, type: "object", properties: fields, required } as RJSFSchema,
    uiSchema: {
      "ui:order": ordered(order, names),
      ...Object.fromEntries(Object.entries(fields).flatMap(([name, field]) => uiOf(name, field, choosesStored))),
    },
    values: Object.fromEntries(names.filter((name) => Object.hasOwn(default_args, name)).map((name) => [name, default_args[name]])),
  };
}

/** Fields that are missing in the order follow in the order of the schema. */
export function ordered(order: unknown, names: readonly string[]): string[] {
  const orderedNames = Array.isArray(order) ? [...new Set(order)].filter((name) => names.includes(name)) : [];
  return [...orderedNames, ...names.filter((name) => !orderedNames.includes(name))];
}

/** Choices that the step has found at run time. */
function withChoices(field: unknown, choices: string[] | undefined): unknown {
  if (!isJsonObject(field) || choices === undefined) return field;
  if (field["type"] !== "array") return { ...field, type: "string", enum: choices };
  return { ...field, items: { type: "string", enum: choices }, uniqueItems: true };
}

type Field = Record<string, unknown>;

const UNIONS = ["oneOf", "anyOf"] as const;
const typeNames: Readonly<Record<string, string>> = {
  string: "Text",
  number: "Number",
  integer: "Whole number",
  boolean: "Yes or no",
  object: "Object",
  array: "List",
  null: "Nothing",
};

/** rjsf shows no field for a schema without keywords, and numbers alternatives without a title. `required`: the names of required fields. */
function filled(name: string, field: unknown, required?: unknown): unknown {
  if (!isJsonObject(field) || Object.keys(field).length === 0) return { title: name };
  const result: Field = { ...field };
  // A box that is not ticked is a no, and not a missing value.
  if (isBox(field) && Array.isArray(required) && required.includes(name)) result["default"] = false;
  // A secret is never filled in.
  if (isSecret(field)) delete result["default"];
  // The value may be a reference, which is a text.
  if (isResource(field)) delete result["type"];
  if (isJsonObject(field["properties"])) {
    result["properties"] = Object.fromEntries(
      Object.entries(field["properties"]).map(([key, inner]) => [key, filled(key, inner, field["required"])]),
    );
  }
  if (isJsonObject(field["items"])) result["items"] = filled("Item", field["items"]);
  for (const union of UNIONS) if (Array.isArray(field[union])) result[union] = field[union].map(toAlternative);
  return result;
}

/** Choosing an alternative sets the value by which it is recognised. */
function toAlternative(member: unknown): unknown {
  const field = filled("Any value", member) as Field;
  if ("const" in field || "$ref" in field) return field;
  const { properties, title = typeNames[String(field["type"])] ?? "Value" } = field;
  if (!isJsonObject(properties)) return { ...field, title };
  const set = Object.entries(properties).map(([key, inner]) => [key, isFixed(inner) ? { default: fixedValueOf(inner), ...inner } : inner]);
  return { ...field, title, properties: Object.fromEntries(set) };
}

/** Returns whether a field has only one possible value. */
const isFixed = (field: unknown): field is Field =>
  isJsonObject(field) && ("const" in field || (Array.isArray(field["enum"]) && field["enum"].length === 1));
const fixedValueOf = (field: Field): unknown => ("const" in field ? field["const"] : (field["enum"] as unknown[])[0]);

function uiOf(name: string, field: unknown, choosesStored: boolean): [string, UiSchema][] {
  if (!isJsonObject(field)) return [[name, { "ui:field": "json" }]];
  const format = String(field["format"] ?? "");
  if (isFile(field)) return [[name, { "ui:widget": "file" }]];
  if (choosesStored && isResource(field)) {
    return [[name, { "ui:field": format === "resource-s3_object" ? "storedFile" : "resource" }]];
  }
  if (field["type"] === "array" && isJsonObject(field["items"])) {
    const { enum: choices } = field["items"];
    if (isFile(field["items"])) return [[name, { "ui:widget": "file" }]];
    if (Array.isArray(choices) && field["uniqueItems"] === true) return [[name, { "ui:widget": "checkboxes" }]];
    return uiOf("items", field["items"], choosesStored).map(([key, ui]) => [name, { [key]: ui }]);
  }
  if (isSecret(field)) return [[name, { "ui:widget": "password" }]];
  if (format === "textarea" || format === "multiline") return [[name, { "ui:widget": "textarea" }]];
  const union = UNIONS.find((keyword) => Array.isArray(field[keyword]));
  if (union !== undefined) {
    const members = field[union] as unknown[];
    return [[name, { [union]: members.map((member) => uiOfAlternative(member, choosesStored)) }]];
  }
  if (isJsonObject(field["properties"])) {
    const inner = Object.entries(field["properties"]).flatMap(([key, value]) => uiOf(key, value, choosesStored));
    const order = ordered(field["order"], Object.keys(field["properties"]));
    return [[name, { "ui:order": order, ...Object.fromEntries(inner) }]];
  }
  return isAnything(field) ? [[name, { "ui:field": "json" }]] : [];
}

function uiOfAlternative(member: unknown, choosesStored: boolean): UiSchema {
  const [[, ui] = ["", {}]] = uiOf("", member, choosesStored);
  const properties = isJsonObject(member) && isJsonObject(member["properties"]) ? member["properties"] : {};
  const fixed = Object.keys(properties).filter((key) => isFixed(properties[key]));
  return { ...ui, ...Object.fromEntries(fixed.map((key) => [key, { "ui:widget": "hidden" }])) };
}

const isBox = (field: Field) => field["type"] === "boolean" && !["default", "const", "enum"].some((keyword) => keyword in field);
const isSecret = (field: Field) => field["password"] === true || field["format"] === "password";
const isResource = ({ format }: Field) => typeof format === "string" && format.startsWith("resource-");
const isFile = (field: Record<string, unknown>) =>
  field["format"] === "data-url" || (field["type"] === "string" && field["contentEncoding"] === "base64");

/** Objects and lists with unspecified contents, and fields without a type. */
function isAnything(field: Record<string, unknown>): boolean {
  if (["$ref", "oneOf", "anyOf", "allOf", "enum", "const"].some((keyword) => keyword in field)) return false;
  if (field["type"] === "object") return !isJsonObject(field["additionalProperties"]);
  return field["type"] === undefined || (field["type"] === "array" && field["items"] === undefined);
}

/** Form editors leave entries such as `"format": ""` and `"enum": null`, which have no meaning. */
function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleaned);
  if (!isJsonObject(value)) return value;
  const meaningful = Object.entries(value).filter(
    ([keyword, setting]) => setting !== null && !(setting === "" && ["format", "pattern", "contentEncoding"].includes(keyword)),
  );
  return Object.fromEntries(
    meaningful.map(([keyword, setting]) => [
      keyword,
      ["default", "const", "enum", "examples"].includes(keyword) ? setting : cleaned(setting),
    ]),
  );
}
