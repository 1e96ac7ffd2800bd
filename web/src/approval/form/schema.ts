import type { RJSFSchema, UiSchema } from "@rjsf/utils";
import { isJsonObject } from "../../../../contract/json/json-object.ts";

interface Asked {
  form_schema?: Record<string, unknown> | undefined;
  default_args?: Record<string, unknown> | undefined;
  enums?: Record<string, string[]> | undefined;
}

export interface PreparedForm {
  schema: RJSFSchema;
  uiSchema: UiSchema;
  /** The initial values of the fields, in addition to their own defaults. */
  values: Record<string, unknown>;
}

/** Builds a form for rjsf. Returns `undefined` if there is nothing to fill in. */
export function preparedForm({ form_schema, default_args = {}, enums = {} }: Asked): PreparedForm | undefined {
  const whole = cleaned(form_schema ?? {}) as Record<string, unknown>;
  const properties = isJsonObject(whole["properties"]) ? whole["properties"] : {};
  const names = Object.keys(properties);
  if (names.length === 0) return undefined;
  const fields = Object.fromEntries(
    names.map((name) => [name, withChoices(properties[name], Object.hasOwn(enums, name) ? enums[name] : undefined)]),
  );
  const { order, ...rest } = whole;
  const required = Array.isArray(whole["required"]) ? whole["required"].filter((name) => names.includes(name)) : [];
  return {
    schema: { ...rest, type: "object", properties: fields, required } as RJSFSchema,
    uiSchema: {
      "ui:order": ordered(order, names),
      ...Object.fromEntries(Object.entries(fields).flatMap(([name, field]) => uiOf(name, field))),
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

function uiOf(name: string, field: unknown): [string, UiSchema][] {
  if (!isJsonObject(field)) return [[name, { "ui:field": "json" }]];
  if (isFile(field)) return [[name, { "ui:widget": "file" }]];
  if (field["type"] === "array" && isJsonObject(field["items"])) {
    const { enum: choices } = field["items"];
    if (isFile(field["items"])) return [[name, { "ui:widget": "file" }]];
    if (Array.isArray(choices) && field["uniqueItems"] === true) return [[name, { "ui:widget": "checkboxes" }]];
    return uiOf("items", field["items"]).map(([key, ui]) => [name, { [key]: ui }]);
  }
  if (field["password"] === true) return [[name, { "ui:widget": "password" }]];
  if (isJsonObject(field["properties"])) {
    const inner = Object.entries(field["properties"]).flatMap(([key, value]) => uiOf(key, value));
    const order = ordered(field["order"], Object.keys(field["properties"]));
    return [[name, { "ui:order": order, ...Object.fromEntries(inner) }]];
  }
  return isAnything(field) ? [[name, { "ui:field": "json" }]] : [];
}

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
