import canonicalize from "canonicalize";

/** Returns JSON text by RFC 8785 (sorted keys), so that equal values have equal texts. `undefined` yields `null`, as inside an array. */
export const toCanonicalJson = (value: unknown): string => canonicalize(value) ?? "null";
