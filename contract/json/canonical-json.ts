import canonicalize from "canonicalize";
// Whole numbers beyond 2^53 are BigInts, which JSON.stringify writes with the conversion that this module defines.
import "./exact-json.ts";

/** Returns JSON text by RFC 8785 (sorted keys), so that equal values have equal texts. `undefined` yields `null`, as inside an array. */
export const toCanonicalJson = (value: unknown): string => canonicalize(value) ?? "null";

/** Returns the same text, or `undefined` for a value that has none: it contains half a surrogate pair, or a number that is not finite. */
export function findCanonicalJson(value: unknown): string | undefined {
  try {
    return toCanonicalJson(value);
  } catch {
    // The library throws plain errors.
    return undefined;
  }
}
