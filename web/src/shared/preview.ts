/** Directions of text that could make it read differently from what it contains. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069\u200e\u200f]/g;

/** Shows marks that reverse the direction of text as their codes. */
export const showDirections = (text: string): string => text.replace(DIRECTIONS, (mark) => `\\u${mark.charCodeAt(0).toString(16)}`);

/** Leaves out marks that reverse the direction of text. */
export const withoutDirections = (text: string): string => text.replace(DIRECTIONS, "");

/** Shortens a text for display. A browser needs seconds to lay out a text of a megabyte. */
export const shorten = (text: string, chars: number): string =>
  showDirections(text.length > chars ? `${text.slice(0, chars)}… (${text.length} characters)` : text);

/** Returns the beginning of a value as JSON, without writing the rest of it. A text is shown as it is. */
export function previewOf(value: unknown, chars: number): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value.slice(0, chars);
  const parts: string[] = [];
  let left = chars;
  const add = (part: string): void => {
    parts.push(part.slice(0, left));
    left -= part.length;
  };
  const write = (at: unknown): void => {
    if (typeof at !== "object" || at === null) {
      add(typeof at === "string" ? JSON.stringify(at.slice(0, left)) : String(at));
      return;
    }
    const isList = Array.isArray(at);
    add(isList ? "[" : "{");
    let isFirst = true;
    for (const [key, part] of isList ? at.entries() : entriesOf(at)) {
      if (left <= 0) return;
      if (!isFirst) add(",");
      isFirst = false;
      if (!isList) add(`${JSON.stringify(String(key).slice(0, left))}:`);
      write(part);
    }
    add(isList ? "]" : "}");
  };
  write(value);
  return parts.join("");
}

/** The fields of an object, one at a time. */
function* entriesOf(value: object): Generator<[string, unknown]> {
  for (const key of Object.keys(value)) yield [key, (value as Record<string, unknown>)[key]];
}

/** Returns the first entries of an object or a list, and how many there are. */
export function firstEntries(value: object, most: number): { entries: [string, unknown][]; count: number } {
  if (Array.isArray(value)) return { entries: value.slice(0, most).map((part, index) => [String(index), part]), count: value.length };
  const keys = Object.keys(value);
  return { entries: keys.slice(0, most).map((key) => [key, (value as Record<string, unknown>)[key]]), count: keys.length };
}
