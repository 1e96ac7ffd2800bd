import { tryParseJson } from "./json.ts";

/** Parses the text of a form. Some programs send JSON with curl's default content type, so a JSON object or list is parsed as JSON. */
export function parseFormText(text: string): unknown {
  const json = /^\s*[[{]/.test(text) ? tryParseJson(text) : undefined;
  // URLSearchParams drops a question mark at the beginning, which is a part of a form's first name.
  return json ? json.json : Object.fromEntries(groupByName(new URLSearchParams(text.startsWith("?") ? `&${text}` : text)));
}

/** Groups the values of a form. A repeated name becomes a list, in the order sent. */
export function groupByName(pairs: Iterable<readonly [string, string]>): Map<string, string | string[]> {
  const all = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const known = all.get(name);
    if (known) known.push(value);
    else all.set(name, [value]);
  }
  return new Map([...all].map(([name, values]) => [name, values.length > 1 ? values : (values[0] as string)]));
}
