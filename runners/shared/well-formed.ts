const ANY_SURROGATE = /\\ud[89a-f]/i;
/** A pair, half a pair, or any other escape, a backslash's own above all. */
const ESCAPE = /\\u(?:d[89ab][0-9a-f]{2})\\u(?:d[c-f][0-9a-f]{2})|\\u(d[89a-f][0-9a-f]{2})|\\./gi;

/** JSON with U+FFFD for every half of a surrogate pair: not everything between a runner and a reader takes those. */
export function wellFormedJson(json: string): string {
  // Writers of JSON escape little else of that range, so most results end here.
  if (!ANY_SURROGATE.test(json)) return json;
  return json.replace(ESCAPE, (whole, half?: string) => (half === undefined ? whole : "\\ufffd"));
}
