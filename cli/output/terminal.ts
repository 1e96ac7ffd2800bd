import { randomUUID } from "node:crypto";
import { inspect, styleText } from "node:util";

/**
 * The only output of the program. Texts of the service and of repositories may contain control characters that move the cursor, change the title
 * or the clipboard, or reverse the order of characters, and so deceive the reader. All such characters are removed here.
 */

/** Control sequences with their parameters, and strings for the terminal with their ends, in both encodings. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
const SEQUENCES = /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c)/g;

/** Every other control character but tab and line feed, and the marks that reverse text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Returns a text that a terminal only displays. A carriage return ends a line instead of letting the next text replace it. */
export const cleanText = (text: string): string => text.replace(/\r\n?/g, "\n").replace(SEQUENCES, "").replace(CONTROLS, "");

/** Returns a text as one line, so that a name in it cannot imitate another line of the program. */
export const cleanLine = (text: string): string => cleanText(text).replace(/\n+/g, " ");

/** Marks the program's styles. External texts cannot know the mark. */
const MARK = randomUUID();

type Format = "dim" | "red" | "green" | "yellow" | "bold";

/** Styles a text for people if the stream is a terminal and `NO_COLOR` is not set. */
export function style(format: Format, text: string): string {
  if (styleText(format, "x", { stream: process.stderr }) === "x") return text;
  const [open, close] = inspect.colors[format] ?? [0, 0];
  return `${MARK}${open};${text}${MARK}${close};`;
}

/** Returns a text with the program's styles and without any other control character. */
function render(text: string): string {
  const [first = "", ...rest] = text.split(MARK);
  const styled = rest.map((part) => {
    const end = part.indexOf(";");
    return `\x1b[${part.slice(0, end)}m${cleanText(part.slice(end + 1))}`;
  });
  return [cleanText(first), ...styled].join("");
}

/** Writes a text for people. */
export function writeMessage(text: string): void {
  process.stderr.write(render(text));
}

/** Writes data. A file or a program receives the exact text, a terminal only displayable characters. */
export function writeData(text: string): void {
  process.stdout.write(process.stdout.isTTY ? render(text) : text);
}

/** Writes JSON. For a terminal, control characters are escaped, which does not change the value. */
export function writeJson(text: string): void {
  const toEscape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  process.stdout.write(process.stdout.isTTY ? text.replace(CONTROLS, toEscape) : text);
}

/** Whether a person reads what `writeMessage` writes. */
export const isTerminal = (): boolean => process.stderr.isTTY === true;

/** Whether a person can answer questions. */
export const canAsk = (): boolean => process.stdin.isTTY === true && isTerminal();

/** The stream of questions, whose texts must be clean. */
export const questionStream = (): NodeJS.WriteStream => process.stderr;

/** Ends the process when a reader such as `head` closes the pipe before everything is written. */
export function endWithReader(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit();
    throw error;
  });
}
