import { isJsonObject } from "../../../contract/json/json-object.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the schema of a script's arguments after a change of its source. The source determines which arguments exist, their types, which of
 * them are required, and the defaults that it contains. Other fields that an author wrote about an argument remain while it has the same type,
 * and its description remains while the argument exists.
 */
export function mergeSchema(inferred: Fields, existing: unknown): Record<string, unknown> {
  if (!isJsonObject(existing)) return { ...inferred };
  return { ...existing, ...inferred, ...mergeProperties(inferred, existing) };
}

function mergeProperties({ properties }: Fields, existing: Fields): { properties?: Record<string, unknown> } {
  if (!isJsonObject(properties)) return {};
  const before = isJsonObject(existing["properties"]) ? existing["properties"] : {};
  const merged = Object.entries(properties).map(([name, property]) => [
    name,
    Object.hasOwn(before, name) ? mergeProperty(property, before[name]) : property,
  ]);
  return { properties: Object.fromEntries(merged) };
}

function mergeProperty(inferred: unknown, existing: unknown): unknown {
  if (!isJsonObject(inferred) || !isJsonObject(existing)) return inferred;
  const { description } = existing;
  const described = typeof description === "string" && description !== "" ? { description } : {};
  if (!haveSameType(inferred, existing)) return { ...inferred, ...described };
  const items = inferred["items"] === undefined ? {} : { items: mergeProperty(inferred["items"], existing["items"]) };
  return { ...existing, ...inferred, ...described, ...items, ...mergeProperties(inferred, existing) };
}

/** A schema without a type accepts any value, so it does not contradict any other schema. */
function haveSameType(a: Fields, b: Fields): boolean {
  const [one, other] = [typesOf(a), typesOf(b)];
  return one === undefined || other === undefined || one === other;
}

/** Returns the types of a schema as a text, ignoring null. */
function typesOf({ type, anyOf }: Fields): string | undefined {
  if (type === undefined) return anyOf === undefined ? undefined : "any of several";
  return (Array.isArray(type) ? type.filter((one) => one !== "null") : [type]).join(" ");
}
