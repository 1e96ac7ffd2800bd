/** What `{{ … }}` in a ConsentGate's message may name. */
export interface MessageNames {
  workflow: { name: string };
  run: { triggered_by: string };
  context: Readonly<Record<string, unknown>>;
}

const NAMED = /\{\{\s*([A-Za-z_]\w*(?:\.[\w-]+)+)\s*\}\}/g;
const MESSAGE_CHARS = 10_000;

/** Fills a message in: values as text, anything but text as JSON. What is not known stays as it was written, so that somebody sees it; nothing runs. */
export function fillTemplate(template: string, names: MessageNames): string {
  const filled = template.replace(NAMED, (written, path: string) => {
    let value: unknown = names;
    for (const part of path.split(".")) {
      if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return written;
      value = (value as Record<string, unknown>)[part];
    }
    return typeof value === "string" ? value : (JSON.stringify(value) ?? written);
  });
  return filled.length <= MESSAGE_CHARS ? filled : `${filled.slice(0, MESSAGE_CHARS)}…`;
}
