/** The values that `{{ … }}` in a ConsentGate's message may refer to. */
export interface MessageNames {
  workflow: { name: string };
  run: { triggered_by: string };
  context: Readonly<Record<string, unknown>>;
}

const NAMED = /\{\{\s*([A-Za-z_]\w*(?:\.[\w-]+)+)\s*\}\}/g;
const MESSAGE_CHARS = 10_000;

/**
 * Replaces the references in a message: a string unchanged, any other value as JSON. An unknown reference remains visible in the text. No code is
 * executed.
 */
export function fillTemplate(template: string, names: MessageNames): string {
  const texts = new Map<string, string>();
  let chars = 0;
  const filled = template.replace(NAMED, (written, path: string) => {
    // A long value in many references must not fill the memory, and the rest is cut off anyway.
    if (chars > MESSAGE_CHARS) return "";
    const text = texts.get(path) ?? (toText(names, path) ?? written).slice(0, MESSAGE_CHARS + 1);
    texts.set(path, text);
    chars += text.length;
    return text;
  });
  return filled.length <= MESSAGE_CHARS ? filled : `${filled.slice(0, MESSAGE_CHARS).toWellFormed()}…`;
}

/** Returns the text of the value at a path, or `undefined` if there is none. */
function toText(names: MessageNames, path: string): string | undefined {
  let value: unknown = names;
  for (const part of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return typeof value === "string" ? value : JSON.stringify(value);
}
