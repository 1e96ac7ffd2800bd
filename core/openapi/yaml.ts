/** Texts that need no quotes in YAML 1.1 and 1.2. Texts that represent a boolean, `null` or a number are quoted. */
const PLAIN = /^[A-Za-z/][A-Za-z0-9_./-]*( [A-Za-z0-9_./-]+)*$/;
const RESERVED = /^(y|n|yes|no|on|off|true|false|null|nan|inf|e\d+)$/i;
/** Characters that JSON allows in texts, but YAML 1.1 forbids or treats as the end of a line. */
const ESCAPED = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

const formatText = (text: string): string =>
  PLAIN.test(text) && !RESERVED.test(text)
    ? text
    : JSON.stringify(text).replaceAll(ESCAPED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Formats a JSON value as YAML that parsers of versions 1.1 and 1.2 read in the same way. */
export function formatYaml(value: unknown): string {
  const lines: string[] = [];
  addValue(lines, value, "", "");
  return `${lines.join("\n")}\n`;
}

/** `lead` is the text before the value on its first line, and `indent` that before each further line. */
function addValue(lines: string[], value: unknown, lead: string, indent: string): void {
  const entries = listEntries(value);
  if (entries === undefined || entries.length === 0) {
    const scalar = typeof value === "string" ? formatText(value) : JSON.stringify(value ?? null);
    lines.push(`${lead}${lead === "" || lead.endsWith(" ") ? "" : " "}${scalar}`);
    return;
  }
  if (lead.trim() !== "") lines.push(lead);
  for (const [name, item] of entries) addValue(lines, item, `${indent}${name}`, `${indent}  `);
}

function listEntries(value: unknown): [name: string, value: unknown][] | undefined {
  if (value === null || typeof value !== "object") return undefined;
  if (Array.isArray(value)) return value.map((item) => ["-", item]);
  return Object.entries(value).flatMap(([name, item]) => (item === undefined ? [] : [[`${formatText(name)}:`, item]]));
}
