import { isJsonObject } from "../../contract/json/json-object.ts";

type Json = Record<string, unknown>;

/** Keywords whose values are data. */
const DATA = new Set(["default", "const", "enum", "example", "examples"]);
/** Keywords whose values contain schemas by name. */
const NAMED = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
/** Keywords that change the meaning of references, or refer to other documents. */
const REMOVED = new Set(["$schema", "$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$vocabulary", "order"]);

/**
 * Returns the schema of a script or flow as a shape below `location`, such as `#/components/schemas/a`. Its references lead to `location`. References
 * that lead nowhere or to other documents are left out, because generators fail for the former and load the latter.
 */
export function toShape(schema: Json, location: string): Json {
  const convert = (value: unknown): unknown => {
    if (typeof value === "boolean") return value;
    return isJsonObject(value) ? convertSchema(value) : {};
  };
  const convertSchema = (value: Json): Json =>
    Object.fromEntries(
      Object.entries(value).flatMap(([keyword, content]): [string, unknown][] => {
        if (REMOVED.has(keyword)) return [];
        // Generators follow references in data too.
        if (DATA.has(keyword)) return JSON.stringify(content).includes('"$ref"') ? [] : [[keyword, content]];
        if (NAMED.has(keyword)) return isJsonObject(content) ? [[keyword, convertEach(content)]] : [];
        if (keyword === "$ref") return isReference(schema, content) ? [[keyword, `${location}${content.slice(1)}`]] : [];
        if (keyword === "required")
          return Array.isArray(content) && content.every((name) => typeof name === "string") ? [[keyword, content]] : [];
        if (Array.isArray(content)) return [[keyword, content.map((item) => (isJsonObject(item) ? convertSchema(item) : item))]];
        return [[keyword, isJsonObject(content) ? convertSchema(content) : content]];
      }),
    );
  const convertEach = (schemas: Json) => Object.fromEntries(Object.entries(schemas).map(([name, value]) => [name, convert(value)]));
  return convertSchema(schema);
}

/** Returns whether a reference leads to a schema of the same document. */
function isReference(root: Json, reference: unknown): reference is string {
  if (typeof reference !== "string" || !/^#(\/|$)/.test(reference)) return false;
  let at: unknown = root;
  for (const part of reference.slice(1).split("/").slice(1)) {
    const name = decodePart(part);
    if (name === undefined || at === null || typeof at !== "object" || !Object.hasOwn(at, name)) return false;
    at = (at as Json)[name];
  }
  return isJsonObject(at) || typeof at === "boolean";
}

function decodePart(part: string): string | undefined {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    // The text is not a valid part of a JSON pointer in a URL.
    return undefined;
  }
}

/** Returns a shape of an object without some of its properties. */
export function withoutProperties(shape: Json, names: ReadonlySet<string>): Json {
  const { properties, required, ...rest } = shape;
  return {
    ...rest,
    ...(isJsonObject(properties)
      ? { properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !names.has(name))) }
      : {}),
    ...(Array.isArray(required) ? { required: required.filter((name) => !names.has(name as string)) } : {}),
  };
}
