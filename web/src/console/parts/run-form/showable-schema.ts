import { isJsonObject } from "../../../../../contract/json/json-object.ts";

/** A form of more fields could not be used, and a reference to itself has no end. */
const MOST_SCHEMAS = 1000;
const MOST_LEVELS = 40;
const MOST_VALUES = 50_000;
const MOST_JSON_LEVELS = 200;

/** Keywords whose schemas a form shows at once. Those of the items of a list follow when an item is added. */
const LISTS = ["allOf", "anyOf", "oneOf"];
const ONES = ["$ref", "then", "else", "if", "not", "additionalProperties"];

/**
 * Returns whether a schema can be shown as a form: its JSON and its fields are neither too many nor nested too deeply, with their references
 * followed. The page shows other schemas as JSON, so that no schema stops it.
 */
export function isShowable(schema: unknown): boolean {
  if (!isSmall(schema)) return false;
  let count = 0;
  const waiting: { schema: unknown; level: number }[] = [{ schema, level: 0 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    count += 1;
    if (count > MOST_SCHEMAS || next.level > MOST_LEVELS) return false;
    for (const inner of listShown(next.schema, schema)) waiting.push({ schema: inner, level: next.level + 1 });
  }
  return true;
}

function isSmall(json: unknown): boolean {
  let count = 0;
  const waiting: { value: unknown; level: number }[] = [{ value: json, level: 0 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    count += 1;
    if (count > MOST_VALUES || next.level > MOST_JSON_LEVELS) return false;
    if (typeof next.value !== "object" || next.value === null) continue;
    for (const inner of Object.values(next.value)) waiting.push({ value: inner, level: next.level + 1 });
  }
  return true;
}

function listShown(schema: unknown, root: unknown): unknown[] {
  if (!isJsonObject(schema)) return [];
  const properties = isJsonObject(schema["properties"]) ? Object.values(schema["properties"]) : [];
  const lists = LISTS.flatMap((keyword) => (Array.isArray(schema[keyword]) ? schema[keyword] : []));
  const ones = ONES.map((keyword) => (keyword === "$ref" ? findReferred(schema["$ref"], root) : schema[keyword]));
  return [...properties, ...lists, ...ones].filter(isJsonObject);
}

/** Returns the part of a schema that a reference such as `#/$defs/name` names. */
function findReferred(reference: unknown, root: unknown): unknown {
  if (typeof reference !== "string" || !reference.startsWith("#")) return undefined;
  const parts = reference.slice(1).split("/").slice(1);
  return parts.reduce<unknown>((found, part) => {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    return isJsonObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }, root);
}
