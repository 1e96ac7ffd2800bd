import Anser from "anser";

/** A part of a line with one style. */
export interface LogPart {
  text: string;
  /** A class name of the colour, or empty. */
  color: string;
  isBold: boolean;
}

/** A longer line is shown in part, because one text of a megabyte blocks the browser. */
export const MOST_SHOWN_CHARS = 10_000;

/** Splits a log into lines. The last line counts only if it has text. */
export function splitLog(log: string): string[] {
  const lines = log.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Removes the codes of terminals, for a search and for a copy. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals use these characters
export const plainLine = (line: string): string => line.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, "").replace(/\r/g, "");

const colorNames: Readonly<Record<string, string>> = {
  "ansi-red": "red",
  "ansi-bright-red": "red",
  "ansi-green": "green",
  "ansi-bright-green": "green",
  "ansi-yellow": "yellow",
  "ansi-bright-yellow": "yellow",
  "ansi-blue": "blue",
  "ansi-bright-blue": "blue",
  "ansi-magenta": "magenta",
  "ansi-bright-magenta": "magenta",
  "ansi-cyan": "cyan",
  "ansi-bright-cyan": "cyan",
};

/** Directions of text that could make a line read differently from what it contains. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069\u200e\u200f]/g;

/** Reads the colours of a line. Marks that reverse the direction of text are shown as their codes. */
export function readLine(line: string): LogPart[] {
  const shown = line.slice(0, MOST_SHOWN_CHARS).replace(DIRECTIONS, (mark) => `\\u${mark.charCodeAt(0).toString(16)}`);
  return Anser.ansiToJson(shown, { use_classes: true, remove_empty: true }).map(({ content, fg, decorations }) => ({
    text: content,
    color: colorNames[fg ?? ""] ?? "",
    isBold: decorations.includes("bold"),
  }));
}

/** Returns the indexes of the lines that contain a text, without regard to case and colours. */
export function findLines(lines: readonly string[], text: string): number[] {
  const needle = text.toLowerCase();
  if (needle === "") return [];
  return lines.flatMap((line, index) => (plainLine(line).toLowerCase().includes(needle) ? [index] : []));
}
