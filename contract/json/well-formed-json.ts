const ANY_SURROGATE = /\\ud[89a-f]/i;
/** Matches a surrogate pair, a lone surrogate, or any other escape; an escaped backslash must not start an escape. */
const ESCAPE = /\\u(?:d[89ab][0-9a-f]{2})\\u(?:d[c-f][0-9a-f]{2})|\\u(d[89a-f][0-9a-f]{2})|\\./gi;

/** Returns whether valid JSON may contain half a surrogate pair, which few texts do. */
export const mayHoldHalfPair = (json: string): boolean => ANY_SURROGATE.test(json);

/** Returns valid JSON with U+FFFD in place of each half of a surrogate pair, which no store accepts. */
export const toWellFormedJson = (json: string): string =>
  mayHoldHalfPair(json) ? json.replace(ESCAPE, (whole, half?: string) => (half === undefined ? whole : "\\ufffd")) : json;
