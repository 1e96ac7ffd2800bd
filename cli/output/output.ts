import { style, writeData, writeJson, writeMessage } from "./terminal.ts";

export interface OutputOptions {
  json: boolean;
  verbose: boolean;
}

/** The two streams of a command: data for programs on stdout, and everything for people on stderr. */
export class Output {
  readonly json: boolean;
  readonly verbose: boolean;

  constructor({ json, verbose }: OutputOptions) {
    this.json = json;
    this.verbose = verbose;
  }

  /** Prints the result of a command: JSON with `--json`, otherwise the text. */
  data(value: unknown, text: string): void {
    if (this.json) writeJson(`${JSON.stringify(value ?? null, undefined, 2)}\n`);
    else if (text !== "") writeData(text.endsWith("\n") ? text : `${text}\n`);
  }

  /** Prints a value of the service: a text unchanged, everything else as JSON. */
  value(value: unknown): void {
    this.data(value, typeof value === "string" ? value : JSON.stringify(value, undefined, 2));
  }

  /** Prints one of several documents: a line of JSON with `--json`, otherwise the unchanged text. */
  line(value: unknown, text: string): void {
    if (this.json) writeJson(`${JSON.stringify(value)}\n`);
    else writeData(text);
  }

  /** Reports progress of a running job: a line of NDJSON for programs, otherwise an unchanged text for people. */
  progress(value: object, text: string): void {
    if (this.json) this.line(value, "");
    else writeMessage(text);
  }

  say(text: string): void {
    writeMessage(`${text}\n`);
  }

  detail(text: string): void {
    if (this.verbose) this.say(this.style("dim", text));
  }

  /** Styles a text for people if the stream is a terminal and `NO_COLOR` is not set. */
  readonly style = style;

  /** Formats rows as a table with aligned columns. A cell is one line, so that no cell can imitate a row. */
  table(columns: readonly string[], rows: readonly (readonly unknown[])[]): string {
    const texts = rows.map((row) => row.map((cell) => (cell === undefined || cell === null ? "" : toLine(String(cell)))));
    const widths = columns.map((column, index) => Math.max(column.length, ...texts.map((row) => (row[index] ?? "").length)));
    const format = (row: readonly string[]) =>
      row
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join("  ")
        .trimEnd();
    return [format(columns), ...texts.map(format)].join("\n");
  }
}

const toLine = (text: string): string => text.replace(/[\r\n]+/g, " ");
