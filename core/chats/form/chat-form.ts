import { createHash } from "node:crypto";
import { isJsonObject } from "../../../contract/json/json-object.ts";
import type { ChatFormOptions } from "../chat-message.ts";

/** A choice of a field. Its id is a hash of its value, so that the same id never selects another value after the choices have changed. */
export interface ChatChoice {
  id: string;
  label: string;
  value: unknown;
}

/** The kinds of fields whose values are typed. `lines`: a list of texts, one per line. `json`: any value as JSON text. */
type TypedKind = "text" | "multiline" | "email" | "url" | "integer" | "number" | "date" | "dateTime" | "lines" | "json";

/** A field of a form. `id`: its position in the form, by which a submission names it. */
export type ChatField = { id: string; name: string; label: string; hint: string; isRequired: boolean } & (
  | { kind: TypedKind; initial?: string }
  | { kind: "boolean"; initial: boolean }
  /** `initial`: the ids of the chosen ones. */
  | { kind: "one" | "several"; choices: ChatChoice[]; initial: string[] }
  | { kind: "file"; isList: boolean; encoding: "data-url" | "base64" }
);

/** The form of a step as a dialog of a chat can show it. */
export interface ChatForm {
  /** The name of the step, and the address of the approval page. */
  title: string;
  page: string;
  fields: ChatField[];
}

type Schema = Record<string, unknown>;

/** A dialog of Slack has at most 100 blocks, which is the most of the vendors. */
const MOST_FIELDS = 90;

/** A form that a dialog cannot show. The message completes the sentence "The form does not fit, because …". */
class UnfitForm extends Error {}

/**
 * Returns the fields of a form in its order, or the reason for which a dialog cannot show it. Empty if there is nothing to fill in. Values and choices of
 * `options` replace those of the schema.
 */
export function toChatFields(schema: Schema, { defaults = {}, enums = {} }: ChatFormOptions): ChatField[] | string {
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const names = orderNames(schema["order"], Object.keys(properties));
  if (names.length > MOST_FIELDS) return `it has more than ${MOST_FIELDS} fields`;
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  try {
    return names.map((name, index) => {
      const choices = Object.hasOwn(enums, name) ? enums[name] : undefined;
      const field = withChoices(isJsonObject(properties[name]) ? properties[name] : {}, choices);
      const initial = Object.hasOwn(defaults, name) ? defaults[name] : field["default"];
      const { title, description } = field;
      return {
        id: `f${index}`,
        name,
        label: typeof title === "string" && title.trim() !== "" ? title : name,
        hint: typeof description === "string" ? description : "",
        isRequired: required.includes(name),
        ...describeField(name, field, initial ?? undefined),
      };
    });
  } catch (error) {
    if (error instanceof UnfitForm) return error.message;
    throw error;
  }
}

/** Fields that the order omits follow in the order of the schema, as on the page. */
function orderNames(order: unknown, names: readonly string[]): string[] {
  const first = Array.isArray(order) ? [...new Set(order)].filter((name) => names.includes(name)) : [];
  return [...first, ...names.filter((name) => !first.includes(name))];
}

/** Sets the choices that the step has found at run time. */
function withChoices(field: Schema, choices: readonly string[] | undefined): Schema {
  if (choices === undefined) return field;
  if (primaryType(field) !== "array") return { ...field, type: "string", enum: choices };
  return { ...field, items: { type: "string", enum: choices } };
}

/** The parts of a field that depend on its kind. */
type KindOf<Field> = Field extends ChatField ? Omit<Field, "id" | "name" | "label" | "hint" | "isRequired"> : never;

function describeField(name: string, field: Schema, initial: unknown): KindOf<ChatField> {
  if (containsPassword(field)) throw new UnfitForm(`the field ${name} is a password`);
  if (isResource(field)) return typed(name, "json", initial);
  const encoding = fileEncodingOf(field) ?? fileEncodingOf(field["items"]);
  if (encoding) {
    if (initial !== undefined) throw unfitDefault(name);
    return { kind: "file", isList: primaryType(field) === "array", encoding };
  }
  const choices = listChoices(name, field) ?? listChoices(name, field["items"]);
  if (choices)
    return toChoiceField(primaryType(field) === "array" ? "several" : "one", choices, "const" in field ? field["const"] : initial);
  if (isNested(field)) throw new UnfitForm(`the field ${name} has fields or alternatives inside`);
  if (primaryType(field) === "boolean") return { kind: "boolean", initial: initial === true };
  return typed(name, toTypedKind(field), initial);
}

function toTypedKind(field: Schema): TypedKind {
  switch (primaryType(field)) {
    case "string":
      return formats[String(field["format"])] ?? "text";
    case "integer":
      return "integer";
    case "number":
      return "number";
    case "array":
      return isJsonObject(field["items"]) && primaryType(field["items"]) === "string" ? "lines" : "json";
    default:
      return "json";
  }
}

const formats: Readonly<Record<string, TypedKind>> = {
  textarea: "multiline",
  multiline: "multiline",
  email: "email",
  uri: "url",
  url: "url",
  date: "date",
  "date-time": "dateTime",
};

const unfitDefault = (name: string) => new UnfitForm(`the default value of the field ${name} cannot be shown`);
const TEXT_CHARS = 3000;

function typed(name: string, kind: TypedKind, value: unknown): { kind: TypedKind; initial?: string } {
  if (value === undefined || value === "") return { kind };
  const initial = toInitialText(kind, value);
  if (initial === undefined || initial.length > TEXT_CHARS) throw unfitDefault(name);
  return initial === "" ? { kind } : { kind, initial };
}

/** Returns the text that a person would type to enter a value, or `undefined` if there is none. */
function toInitialText(kind: TypedKind, value: unknown): string | undefined {
  if (kind === "json") return JSON.stringify(value, null, 2);
  if (kind === "lines") return isListOfLines(value) ? value.join("\n") : undefined;
  if (kind === "integer" || kind === "number") return typeof value === "number" ? String(value) : undefined;
  if (typeof value !== "string") return undefined;
  if (kind === "date") return /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : undefined;
  if (kind === "dateTime") return Number.isNaN(Date.parse(value)) ? undefined : value;
  return value;
}

const isListOfLines = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((line) => typeof line === "string" && line.trim() === line && line !== "" && !/[\r\n]/.test(line));

/** Returns the choices of `enum`, `const`, or alternatives that are constants with titles. */
function listChoices(name: string, field: unknown): ChatChoice[] | undefined {
  if (!isJsonObject(field)) return undefined;
  const alternatives = [field["oneOf"], field["anyOf"]].find(isListOfConstants);
  if (alternatives)
    return unique(
      name,
      alternatives.map(({ const: value, title }) => toChoice(value, title)),
    );
  if ("const" in field) return [toChoice(field["const"])];
  return Array.isArray(field["enum"])
    ? unique(
        name,
        field["enum"].map((value) => toChoice(value)),
      )
    : undefined;
}

const isListOfConstants = (value: unknown): value is Schema[] =>
  Array.isArray(value) && value.length > 0 && value.every((each) => isJsonObject(each) && "const" in each);

function toChoice(value: unknown, title?: unknown): ChatChoice {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return { id: toChoiceId(value), label: typeof title === "string" && title !== "" ? title : text, value };
}

const toChoiceId = (value: unknown) => createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 22);

function unique(name: string, choices: readonly ChatChoice[]): ChatChoice[] {
  if (choices.length === 0) throw new UnfitForm(`the field ${name} has no choices`);
  return [...new Map(choices.map((choice) => [choice.id, choice])).values()];
}

/** A default that is not among the choices is not preselected. */
function toChoiceField(kind: "one" | "several", choices: ChatChoice[], initial: unknown): KindOf<ChatField> {
  const values = kind === "several" && Array.isArray(initial) ? initial : [initial].filter((value) => value !== undefined);
  const ids = new Set(choices.map(({ id }) => id));
  return { kind, choices, initial: [...new Set(values.map(toChoiceId))].filter((id) => ids.has(id)) };
}

/** A type may be a list that also allows null. */
function primaryType({ type }: Schema): unknown {
  return Array.isArray(type) ? type.find((each) => each !== "null") : type;
}

const isResource = ({ format }: Schema) => typeof format === "string" && format.startsWith("resource-");

function fileEncodingOf(field: unknown): "data-url" | "base64" | undefined {
  if (!isJsonObject(field)) return undefined;
  if (field["format"] === "data-url") return "data-url";
  return primaryType(field) === "string" && field["contentEncoding"] === "base64" ? "base64" : undefined;
}

const INNER = ["properties", "additionalProperties", "patternProperties"] as const;
const COMPOSED = ["$ref", "oneOf", "anyOf", "allOf", "not", "if"] as const;

/** Returns whether a value consists of parts that have schemas, which a single field cannot show. */
function isNested(field: Schema): boolean {
  if (COMPOSED.some((keyword) => keyword in field) || INNER.some((keyword) => isJsonObject(field[keyword]))) return true;
  return "prefixItems" in field || (isJsonObject(field["items"]) && isNested(field["items"]));
}

/** Returns whether a schema marks a value, or an item of a list, as a secret. Parts of objects are nested forms. */
function containsPassword(field: unknown): boolean {
  if (!isJsonObject(field)) return false;
  return field["password"] === true || field["format"] === "password" || containsPassword(field["items"]);
}
