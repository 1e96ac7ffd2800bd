import Anser from "anser";
import { showDirections } from "../../../shared/preview.ts";

/** A part of a line with one style. */
export interface LogPart {
  text: string;
  /** A class name of the colour, or empty. */
  color: string;
  isBold: boolean;
}

/** A longer line is shown in part, because one text of a megabyte blocks the browser. */
export const MOST_SHOWN_CHARS = 10_000;

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

/** Reads the colours of a line. Marks that reverse the direction of text are shown as their codes. */
export function readLine(line: string): LogPart[] {
  const shown = showDirections(line.slice(0, MOST_SHOWN_CHARS));
  return Anser.ansiToJson(shown, { use_classes: true, remove_empty: true }).map(({ content, fg, decorations }) => ({
    text: content,
    color: colorNames[fg ?? ""] ?? "",
    isBold: decorations.includes("bold"),
  }));
}
