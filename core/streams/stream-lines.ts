import { isJsonObject } from "../../contract/json-object.ts";

const MARK = "WM_STREAM: ";

/** Reads a script's stream out of its log: lines that begin with `WM_STREAM: `, in which a newline of the text is written `\n` (api.md §2.5). */
export class StreamLines {
  #rest = "";

  /** What the stream has got by this piece of the log. A line counts once it is complete. */
  push(log: string): string {
    const lines = (this.#rest + log).split("\n");
    this.#rest = lines.pop() ?? "";
    return lines.map(textOf).join("");
  }

  /** Of a complete log only the lines that are the stream. */
  static only(log: string): string {
    return log
      .split("\n")
      .filter((line) => line.startsWith(MARK))
      .map((line) => `${line}\n`)
      .join("");
  }

  /** The log is complete: so is its last line. */
  end(): string {
    const last = textOf(this.#rest);
    this.#rest = "";
    return last;
  }
}

const textOf = (line: string) => (line.startsWith(MARK) ? line.slice(MARK.length).replaceAll("\\n", "\n") : "");

/** The stream in a log from its beginning. `complete`: the log does not go on. */
export function extractStream(log: string, complete: boolean): string {
  const lines = new StreamLines();
  return lines.push(log) + (complete ? lines.end() : "");
}

/**
 * What a stream has come to (spec §4.5): the complete stream as a text, or an object that the script returned with the stream in
 * `wm_stream`. Without a stream it is the result alone.
 */
export function toStreamResult(result: unknown, stream: string): unknown {
  if (stream === "") return result;
  const isObject = isJsonObject(result);
  return isObject ? { ...result, wm_stream: stream } : stream;
}
