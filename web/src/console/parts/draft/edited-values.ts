import { isJsonObject } from "../../../../../contract/json/json-object.ts";

/** The draft of a form that edits a stored object. */
export interface EditedDraft {
  /** The version that the form was filled from. A new object has none. */
  version?: string | undefined;
  /** The values that the browser may store. */
  values: Record<string, unknown>;
}

/** Reads a draft, which another version of this page may have stored. */
export function parseEditedDraft(stored: unknown): EditedDraft | undefined {
  if (!isJsonObject(stored) || !isJsonObject(stored["values"])) return undefined;
  const { version, values } = stored;
  return { values, ...(typeof version === "string" ? { version } : {}) };
}

/**
 * Returns the values of a form with those of its draft. Fields that the draft leaves out keep their values, also inside of objects, because a
 * draft contains no secrets. A value of another type is ignored.
 */
export function restoreValues<V extends object>(values: V, draft: Record<string, unknown>): V {
  const restored = Object.entries(values).map(([name, value]) => [name, Object.hasOwn(draft, name) ? merge(value, draft[name]) : value]);
  return Object.fromEntries(restored) as V;
}

function merge(value: unknown, kept: unknown): unknown {
  if (isJsonObject(value) && isJsonObject(kept)) return mergeObjects(value, kept);
  if (value === undefined || value === null) return kept;
  return typeof value === typeof kept && Array.isArray(value) === Array.isArray(kept) ? kept : value;
}

/** Values inside of an object may have any type. */
function mergeObjects(value: Record<string, unknown>, kept: Record<string, unknown>): Record<string, unknown> {
  const changed = Object.entries(kept).map(([name, inner]) => {
    const current = Object.hasOwn(value, name) ? value[name] : undefined;
    return [name, isJsonObject(current) && isJsonObject(inner) ? mergeObjects(current, inner) : inner];
  });
  return { ...value, ...Object.fromEntries(changed) };
}
