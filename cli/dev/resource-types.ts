import { isJsonObject } from "../../contract/json/json-object.ts";

/** An entry of the service's list of resource types. */
export interface ResourceType {
  name: string;
  description?: string | undefined;
  schema?: unknown;
}

const HEADER = `// Written by \`svc dev\` from the resource types of the workspace.
// A script uses such a type for a parameter: main(db: RT.Postgresql).
`;

/** Returns the declarations of the types of resources. Equal types produce equal text. */
export function declareResourceTypes(types: readonly ResourceType[]): string {
  const typesByName = new Map<string, ResourceType>();
  for (const type of types.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = toTypeName(type.name);
    if (!typesByName.has(name)) typesByName.set(name, type);
  }
  const declarations = [...typesByName].map(
    ([name, { description, schema }]) => `${toComment(description, "  ")}  type ${name} = ${toType(schema, "  ")};\n`,
  );
  return `${HEADER}declare namespace RT {\n${declarations.join("")}}\n`;
}

/** Returns the name of a resource type in a script: `RT.CustomApi` is `custom_api`. */
export function toTypeName(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  return /^[A-Za-z]/.test(joined) ? joined : `_${joined}`;
}

function toComment(text: unknown, indent: string): string {
  if (typeof text !== "string" || text.trim() === "") return "";
  const line = text.replace(/\s+/g, " ").trim().replaceAll("*/", "* /");
  return `${indent}/** ${line} */\n`;
}

/** Returns the TypeScript type of the values that a JSON Schema accepts: `unknown` where the schema does not limit them. */
export function toType(schema: unknown, indent = ""): string {
  if (!isJsonObject(schema)) return "unknown";
  if ("const" in schema) return toLiteral(schema["const"]);
  const { enum: values, anyOf, oneOf, allOf, type, format } = schema;
  if (Array.isArray(values) && values.length > 0) return joinTypes(values.map(toLiteral), "|");
  const options = Array.isArray(anyOf) ? anyOf : oneOf;
  if (Array.isArray(options) && options.length > 0)
    return joinTypes(
      options.map((option) => toType(option, indent)),
      "|",
    );
  if (Array.isArray(allOf) && allOf.length > 0)
    return joinTypes(
      allOf.map((part) => toType(part, indent)),
      "&",
    );
  if (Array.isArray(type))
    return joinTypes(
      type.map((one) => toType({ ...schema, type: one }, indent)),
      "|",
    );
  switch (type) {
    case "string":
      return "string";
    case "number":
    case "integer":
      return "number";
    case "boolean":
    case "null":
      return type;
    case "array":
      return `${toElement(toType(schema["items"], indent))}[]`;
  }
  const resource = typeof format === "string" ? /^resource-(.+)$/.exec(format)?.[1] : undefined;
  if (resource !== undefined) return `RT.${toTypeName(resource)}`;
  return type === "object" || isJsonObject(schema["properties"]) ? toObject(schema, indent) : "unknown";
}

const toElement = (type: string): string => (/[|&]/.test(type) ? `(${type})` : type);

function toLiteral(value: unknown): string {
  return value === null || ["string", "number", "boolean"].includes(typeof value) ? JSON.stringify(value) : "unknown";
}

/** Joins types. `unknown` makes a union unknown and has no effect on an intersection. */
function joinTypes(types: readonly string[], operator: "|" | "&"): string {
  const different = [...new Set(types)].filter((type) => operator === "|" || type !== "unknown");
  if (different.length === 0 || different.includes("unknown")) return "unknown";
  if (different.length === 1) return different[0] ?? "unknown";
  return different.map((type) => (/[|&]/.test(type) ? `(${type})` : type)).join(` ${operator} `);
}

function toObject({ properties, required, additionalProperties }: Record<string, unknown>, indent: string): string {
  const fields = Object.entries(isJsonObject(properties) ? properties : {});
  if (fields.length === 0)
    return `Record<string, ${additionalProperties === undefined ? "unknown" : toType(additionalProperties, indent)}>`;
  const needed = new Set(Array.isArray(required) ? required : []);
  const inner = `${indent}  `;
  const lines = fields.map(([name, field]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    const comment = isJsonObject(field) ? toComment(field["description"], inner) : "";
    return `${comment}${inner}${key}${needed.has(name) ? "" : "?"}: ${toType(field, inner)};\n`;
  });
  return `{\n${lines.join("")}${indent}}`;
}
