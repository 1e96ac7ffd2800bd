const ANY_SURROGATE = /\\ud[89a-f]/i;
/** Matches a surrogate pair, a lone surrogate, or any other escape; an escaped backslash must not start an escape. */
const ESCAPE = /\\u(?:d[89ab][0-9a-f]{2})\\u(?:d[c-f][0-9a-f]{2})|\\u(d[89a-f][0-9a-f]{2})|\\./gi;

/** Replaces every lone surrogate in JSON with U+FFFD, because some JSON parsers reject them. */
export function wellFormedJson(json: string): string {
  // Few results contain such escapes, so most return here.
  if (!ANY_SURROGATE.test(json)) return json;
  return json.replace(ESCAPE, (whole, half?: string) => (half === undefined ? whole : "\\ufffd"));
}
