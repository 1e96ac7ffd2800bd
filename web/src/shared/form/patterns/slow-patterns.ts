import { isJsonObject } from "../../../../../contract/json/json-object.ts";

type Fields = Record<string, unknown>;

/** The browser tries at most this many ways to match a text. They take less than a tenth of a second. */
const MOST_WAYS = 1_000_000;
const MOST_TEXT = 100_000;

/** Keywords that contain schemas by name, and keywords whose values are data. */
const MAPS = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
const DATA = new Set(["enum", "const", "default", "examples"]);

/**
 * Returns a schema without the patterns that the browser could match for very long: a pattern of a hostile author, with a text that the same
 * author has chosen as the default, would stop the page. The service matches every pattern in linear time.
 */
export function withoutSlowPatterns<T>(schema: T, value: unknown): T {
  const length = longestText(value);
  const clean = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(clean);
    return isJsonObject(part) ? cleanSchema(part) : part;
  };
  const cleanSchema = (part: Fields): Fields => {
    const names = isJsonObject(part["patternProperties"]) ? Object.keys(part["patternProperties"]) : [];
    const slow = names.filter((name) => isSlow(name, length));
    const entries = Object.entries(part).flatMap(([key, inner]): [string, unknown][] => {
      if (DATA.has(key)) return [[key, inner]];
      if (key === "pattern" && typeof inner === "string") return isSlow(inner, length) ? [] : [[key, inner]];
      // Without a pattern of names, it is unknown which names are additional.
      if (slow.length > 0 && (key === "additionalProperties" || key === "unevaluatedProperties")) return [];
      if (!MAPS.has(key) || !isJsonObject(inner)) return [[key, clean(inner)]];
      const kept = Object.entries(inner).filter(([name]) => key !== "patternProperties" || !slow.includes(name));
      return [[key, Object.fromEntries(kept.map(([name, each]) => [name, clean(each)]))]];
    });
    return Object.fromEntries(entries);
  };
  return hasPattern(schema) ? (clean(schema) as T) : schema;
}

/** Returns whether a backtracking matcher may try too many ways to match a pattern with a text of this length. */
export function isSlow(pattern: string, length: number): boolean {
  const plain = pattern.replace(/\\./g, "x").replace(/\[(?:[^\]])*\]/g, "x");
  // A repeated group can match one text in more ways than any power of its length.
  if (/\)(?:[*+]|\{\d+(?:,|\}))/.test(plain)) return true;
  const repeats = plain.match(/[*+]|\{\d*,\d*\}/g)?.length ?? 0;
  const choices = plain.match(/[?|]/g)?.length ?? 0;
  return length > MOST_TEXT || Math.max(2, length) ** repeats * 2 ** choices > MOST_WAYS;
}

function hasPattern(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(hasPattern);
  if (!isJsonObject(schema)) return false;
  return Object.entries(schema).some(([key, inner]) => key === "pattern" || key === "patternProperties" || hasPattern(inner));
}

/** The length of the longest text or name in a value. */
function longestText(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (Array.isArray(value)) return value.reduce<number>((most, each) => Math.max(most, longestText(each)), 0);
  if (!isJsonObject(value)) return 0;
  return Object.entries(value).reduce((most, [name, each]) => Math.max(most, name.length, longestText(each)), 0);
}
