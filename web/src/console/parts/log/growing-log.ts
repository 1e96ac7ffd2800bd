/** A log at one moment. `lines` can grow afterwards: the first `count` of them belong to this moment. */
export interface LogLines {
  lines: readonly string[];
  count: number;
  /** The last line has no line break yet, so that text can follow. */
  isLineOpen: boolean;
}

export const NO_LINES: LogLines = { lines: [], count: 0, isLineOpen: false };

/** Splits a log that grows. Only what is added is read, so that the whole costs in proportion to its length. */
export class GrowingLog {
  readonly #lines: string[] = [];
  #isLineOpen = false;

  /** Adds a part, which can begin and end in the middle of a line. */
  add(text: string): LogLines {
    if (text !== "") {
      const [first = "", ...others] = text.split("\n");
      if (this.#isLineOpen) this.#lines.push(`${this.#lines.pop()}${first}`);
      else this.#lines.push(first);
      for (const line of others) this.#lines.push(line);
      this.#isLineOpen = !text.endsWith("\n");
      if (!this.#isLineOpen) this.#lines.pop();
    }
    return { lines: this.#lines, count: this.#lines.length, isLineOpen: this.#isLineOpen };
  }
}

export const splitLog = (text: string): LogLines => new GrowingLog().add(text);

/** Returns the text of a log, for a download. */
export const joinLog = ({ lines, count, isLineOpen }: LogLines): string =>
  `${lines.slice(0, count).join("\n")}${count > 0 && !isLineOpen ? "\n" : ""}`;
