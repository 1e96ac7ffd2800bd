import { computeBorders, extendMatch } from "./borders.ts";

/**
 * Returns whether `pattern` matches the complete text. `*` matches any text, including the empty text and line breaks. Any other character
 * matches itself. Each part between two `*` is matched at its first occurrence, so no backtracking is needed: one pointer runs over the text and
 * one over the pattern, and the number of comparisons is at most twice the length of the text.
 */
export function matchesWildcard(pattern: string, text: ArrayLike<string>): boolean {
  const [first = "", ...parts] = pattern.split("*");
  const last = parts.pop();
  if (last === undefined) return first.length === text.length && isAt(first, text, 0);
  const end = text.length - last.length;
  if (end < first.length || !isAt(first, text, 0) || !isAt(last, text, end)) return false;
  let position = first.length;
  for (const part of parts) {
    const found = findEnd(part, text, position, end);
    if (found === undefined) return false;
    position = found;
  }
  return true;
}

function isAt(part: string, text: ArrayLike<string>, position: number): boolean {
  for (let at = 0; at < part.length; at += 1) if (text[position + at] !== part[at]) return false;
  return true;
}

/** Returns the end of the first occurrence of `part` in the text between `from` and `to`. */
function findEnd(part: string, text: ArrayLike<string>, from: number, to: number): number | undefined {
  if (part === "") return from;
  const borders = computeBorders(part);
  for (let at = from, length = 0; at < to; at += 1) {
    length = extendMatch(part, borders, length, text[at]);
    if (length === part.length) return at + 1;
  }
  return undefined;
}
