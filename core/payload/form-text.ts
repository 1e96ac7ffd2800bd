import querystring from "node:querystring";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { tryParseJson } from "./json.ts";

/**
 * Parses the text of a form. Some programs send JSON with curl's default content type, so a JSON object or list is parsed as JSON. Throws
 * `payload.form` for too many parts, `body.tooDeep` and `body.number`.
 */
export function parseFormText(text: string): unknown {
  const json = /^\s*[[{]/.test(text) ? tryParseJson(text) : undefined;
  return json ? json.json : Object.fromEntries(groupByName(readPairs(text)));
}

/**
 * Returns the same names and values of a form as URLSearchParams, which takes quadratic time for names without a value, and a second for a
 * million plus signs.
 */
function readPairs(text: string): [string, string][] {
  const parts = text.toWellFormed().split("&", limits.formParts + 1);
  if (parts.length > limits.formParts) throw new SvcError("payload.form", { reason: `it has more than ${limits.formParts} parts` });
  return parts.flatMap((part): [string, string][] => {
    if (part === "") return [];
    const at = part.indexOf("=");
    return at < 0 ? [[decode(part), ""]] : [[decode(part.slice(0, at)), decode(part.slice(at + 1))]];
  });
}

function decode(part: string): string {
  const text = part.replaceAll("+", " ");
  return /%[0-9a-f]{2}/i.test(text) ? querystring.unescape(text) : text;
}

/** Groups the values of a form. A repeated name becomes a list, in the order sent. */
export function groupByName(pairs: Iterable<readonly [string, string]>): Map<string, string | string[]> {
  const all = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const existingValues = all.get(name);
    if (existingValues) existingValues.push(value);
    else all.set(name, [value]);
  }
  return new Map([...all].map(([name, values]) => [name, values.length > 1 ? values : (values[0] as string)]));
}
