import type { SearchText } from "./index-items.ts";
import { fold } from "./signature.ts";

/** The fields of a match, the most relevant first. */
const FIELDS = ["path", "summary", "description"] as const;

export interface Match {
  field: (typeof FIELDS)[number] | "source";
  /** The text around the match. */
  text: string;
}

const EXCERPT_CHARS = 160;
const CHARS_BEFORE = 40;

/** Returns the part of one line around a position. */
function excerptAt(text: string, at: number): string {
  const lineStart = text.lastIndexOf("\n", at - 1) + 1;
  const lineEnd = text.indexOf("\n", at);
  const start = Math.max(lineStart, at - CHARS_BEFORE);
  const end = Math.min(lineEnd < 0 ? text.length : lineEnd, start + EXCERPT_CHARS);
  return text.slice(start, end).toWellFormed().trim();
}

/** Returns the text around the first position of a folded phrase, or `undefined` if the text does not contain it. */
function findPhrase(text: string, phrase: string): string | undefined {
  const folded = fold(text);
  const at = folded.indexOf(phrase);
  if (at < 0) return undefined;
  // A few letters have another length in lower case, which moves positions.
  return excerptAt(folded.length === text.length ? text : folded, at);
}

/** Returns the words of a query, folded. An object matches if its path, summary and description contain all of them. */
export const splitWords = (query: string): string[] => fold(query).split(/\s+/).filter(Boolean);

/** Returns the matches of words in an object, the most relevant field first, or none if a word is in no field. */
export function matchWords(words: readonly string[], object: SearchText & { path: string }): Match[] {
  const found = FIELDS.map((field) => ({ field, hits: words.filter((word) => fold(object[field]).includes(word)) }));
  if (!words.every((word) => found.some(({ hits }) => hits.includes(word)))) return [];
  return found.flatMap(({ field, hits: [first] }) => {
    const text = first === undefined ? undefined : findPhrase(object[field], first);
    return text === undefined ? [] : [{ field, text }];
  });
}

/** Returns the match of a query in a source, as one phrase. */
export function matchSource(query: string, source: string): Match[] {
  const text = findPhrase(source, fold(query));
  return text === undefined ? [] : [{ field: "source", text }];
}

/** Returns a number by which results are sorted: the position of their most relevant field. */
export const rankOf = ([first]: readonly Match[]): number => [...FIELDS, "source"].indexOf(first?.field ?? "source");
