import { defined, mapDefined } from "../../contract/defined.ts";

/** A line of a file that an error names. */
export interface ErrorPlace {
  file: string;
  line: number;
  column?: number;
}

/** `f/ops/tax.ts:3:9` of JavaScript, Go and builds, and `main.js:12:3` of bundles. */
const FRAME = /(?:^|[\s("'])((?:[fu]\/[^\s()"':]+|main\.js)):(\d+)(?::(\d+))?/gm;
/** A frame of a Python traceback. */
const PYTHON_FRAME = /File "([fu]\/[^"]+)", line (\d+)/g;

/** Lists the locations in the text of an error, the innermost call first. The names are those of the service. */
export function listErrorPlaces(text: string): ErrorPlace[] {
  const toPlace = ([, file = "", line, column]: RegExpMatchArray): ErrorPlace => ({
    file,
    line: Number(line),
    ...defined({ column: mapDefined(column, Number) }),
  });
  // Python lists the innermost call last.
  const python = [...text.matchAll(PYTHON_FRAME)].map(toPlace).toReversed();
  return [...python, ...[...text.matchAll(FRAME)].map(toPlace)];
}

/** A location in a local file, and the text of its line. */
export interface SourcePlace extends ErrorPlace {
  text?: string;
}

/** Formats the line that an error names, with its number, for people. */
export function formatSourceLine({ file, line, column, text }: SourcePlace): string {
  const position = [file, line, column].filter((part) => part !== undefined).join(":");
  return text === undefined ? `  ${position}` : `  ${position}\n  ${line} | ${text}`;
}
