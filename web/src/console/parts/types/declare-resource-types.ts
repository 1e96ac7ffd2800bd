import { isJsonObject } from "../../../../../contract/json/json-object.ts";

export interface ResourceType {
  name: string;
  schema?: unknown;
}

const MAX_DEPTH = 8;
const MAX_FIELDS = 200;
const MAX_TYPES = 1_000;
const MAX_COMMENT = 300;
const ANY = "any";

/**
 * Declares resource types as scripts name them: `RT.Postgresql`, `Resource<"postgresql">`, and `Postgresql` unless the global scope has another
 * type of this name.
 */
export function declareResourceTypes(types: readonly ResourceType[], globalTypes: ReadonlySet<string>): string {
  const declared = types.slice(0, MAX_TYPES).map(({ name, schema }) => ({ key: JSON.stringify(name), name: toTypeName(name), schema }));
  const byName = new Map(declared.filter(({ name }) => name !== undefined).map((one) => [one.name ?? "", one]));
  const named = [...byName].map(([name, { schema }]) => `  type ${name} = ${toType(schema, 0)};`);
  const global = [...byName.keys()].filter((name) => !globalTypes.has(name)).map((name) => `type ${name} = RT.${name};`);
  const all = declared.map(({ key, name, schema }) => `  ${key}: ${name === undefined ? toType(schema, 0) : `RT.${name}`};`);
  return [
    "declare namespace RT {",
    ...named,
    "}",
    ...global,
    "/** The resource types of this workspace, by name. */",
    "interface ResourceTypes {",
    ...new Set(all),
    "}",
    "/** The value of a resource of a type. */",
    "type Resource<Name extends string> = Name extends keyof ResourceTypes ? ResourceTypes[Name] : Record<string, any>;",
    "",
  ].join("\n");
}

/** Returns `AwsAccount` for `aws_account`, or `undefined` for a name that no type can have. */
function toTypeName(name: string): string | undefined {
  if (!/^[a-z]\w*$/i.test(name)) return undefined;
  return name
    .split("_")
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join("");
}

/** Returns the type of the values that a schema describes. Other schemas are `any`. */
function toType(schema: unknown, depth: number): string {
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return ANY;
  const { type, enum: choices, const: constant, anyOf, oneOf } = schema;
  if (constant !== undefined) return toLiteral(constant);
  if (Array.isArray(choices) && choices.length > 0 && choices.length <= MAX_FIELDS) return unionOf(choices.map(toLiteral));
  const alternatives = [anyOf, oneOf].find((one) => Array.isArray(one));
  if (Array.isArray(alternatives)) return unionOf(alternatives.slice(0, MAX_FIELDS).map((one) => toType(one, depth + 1)));
  const kinds = Array.isArray(type) ? type : [type];
  const types = unionOf(kinds.map((kind) => toTypeOfKind(kind, schema, depth)));
  return schema["nullable"] === true ? unionOf([types, "null"]) : types;
}

function toTypeOfKind(kind: unknown, schema: Record<string, unknown>, depth: number): string {
  switch (kind) {
    case "string":
    case "boolean":
    case "null":
      return kind;
    case "number":
    case "integer":
      return "number";
    case "array":
      return `Array<${toType(schema["items"], depth + 1)}>`;
    case "object":
      return toObjectType(schema, depth);
    default:
      return isJsonObject(schema["properties"]) ? toObjectType(schema, depth) : ANY;
  }
}

function toObjectType({ properties, required, additionalProperties }: Record<string, unknown>, depth: number): string {
  const fields = isJsonObject(properties) ? Object.entries(properties).slice(0, MAX_FIELDS) : [];
  if (fields.length === 0) return `Record<string, ${toType(additionalProperties, depth + 1)}>`;
  const always = new Set(Array.isArray(required) ? required : []);
  const lines = fields.map(
    ([name, field]) => `${toComment(field)}${toPropertyName(name)}${always.has(name) ? "" : "?"}: ${toType(field, depth + 1)};`,
  );
  return `{ ${lines.join(" ")} }`;
}

const toPropertyName = (name: string): string => (/^[a-z_$][\w$]*$/i.test(name) ? name : JSON.stringify(name));

function toComment(field: unknown): string {
  const text = isJsonObject(field) && typeof field["description"] === "string" ? field["description"] : "";
  return text === "" ? "" : `/** ${text.slice(0, MAX_COMMENT).replaceAll("*/", "* /").replaceAll(/\s+/g, " ")} */ `;
}

const toLiteral = (value: unknown): string =>
  value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? JSON.stringify(value) : ANY;

const unionOf = (types: readonly string[]): string => (types.includes(ANY) ? ANY : [...new Set(types)].join(" | "));
