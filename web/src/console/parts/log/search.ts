import type { LogLines } from "./growing-log.ts";
import { plainLine } from "./lines.ts";

/** The lines of a log that contain a text, as far as they were searched. */
export interface LogSearch {
  /** In lower case. */
  text: string;
  /** The indexes of the lines. */
  found: readonly number[];
  /** The number of lines that need no further search. */
  searched: number;
  /** The log of the last part. */
  log: LogLines | undefined;
  isComplete: boolean;
}

/** A search of a log of megabytes in one go would block the page. */
const CHARS_AT_ONCE = 500_000;

export const startSearch = (text: string): LogSearch => ({
  text: text.toLowerCase(),
  found: [],
  searched: 0,
  log: undefined,
  isComplete: text === "",
});

export const hasSearched = ({ text, isComplete, log }: LogSearch, all: LogLines): boolean => text === "" || (isComplete && log === all);

/** Searches the next part of a log, without regard to case and colours. An open last line is searched again when it has grown. */
export function continueSearch({ text, found: before, searched }: LogSearch, log: LogLines): LogSearch {
  const found = before.filter((index) => index < searched);
  let [index, chars] = [searched, 0];
  for (; index < log.count && chars < CHARS_AT_ONCE; index++) {
    const line = log.lines[index] ?? "";
    chars += line.length + 1;
    if (plainLine(line).toLowerCase().includes(text)) found.push(index);
  }
  const isComplete = index === log.count;
  return { text, found, searched: isComplete && log.isLineOpen ? index - 1 : index, log, isComplete };
}
