import canonicalize from "canonicalize";

/** JSON text by RFC 8785 (sorted keys): equal values give equal texts. `undefined` gives `null`, as inside an array. */
export const canonicalJson = (value: unknown): string => canonicalize(value) ?? "null";
