import { isJsonObject } from "../../contract/json/json-object.ts";
import { STREAM_MARK as MARK } from "../secrets/locate-stream.ts";

/**
 * Extracts a script's stream from its log: lines that begin with `WM_STREAM: `, in which a newline of the text is written as `\n` (api.md
 * §2.5).
 */
export class StreamLines {
  #rest = "";

  /** Returns the text that a chunk of the log adds to the stream. A line counts when it is complete. */
  push(log: string): string {
    const lines = (this.#rest + log).split("\n");
    this.#rest = lines.pop() ?? "";
    return lines.map(textOf).join("");
  }

  /** Returns the lines of a complete log that belong to the stream. */
  static only(log: string): string {
    return log
      .split("\n")
      .filter((line) => line.startsWith(MARK))
      .map((line) => `${line}\n`)
      .join("");
  }

  /** Returns the text of the last line, which may have no newline. The log is complete. */
  end(): string {
    const last = textOf(this.#rest);
    this.#rest = "";
    return last;
  }
}

const textOf = (line: string) => (line.startsWith(MARK) ? line.slice(MARK.length).replaceAll("\\n", "\n") : "");

/** Returns the stream in a log. `complete`: no output follows. */
export function extractStream(log: string, complete: boolean): string {
  const lines = new StreamLines();
  return lines.push(log) + (complete ? lines.end() : "");
}

/**
 * Returns the final result of a stream (spec §4.5): the stream as a text, or the returned object with the stream in `wm_stream`. Without a
 * stream, it is the result itself.
 */
export function toStreamResult(result: unknown, stream: string): unknown {
  if (stream === "") return result;
  const isObject = isJsonObject(result);
  return isObject ? { ...result, wm_stream: stream } : stream;
}

/**
 * Returns whether a run's result can be, or contain, the stream: it returned nothing or an object. Bash returns its last line, which may belong
 * to the stream.
 */
export function mayHoldStream(result: unknown): boolean {
  return result === null || result === undefined || isJsonObject(result) || (typeof result === "string" && result.startsWith(MARK.trim()));
}

/** Returns the result to store for a run that printed a stream: the stream if it returned nothing else, or its object with the stream in `wm_stream`. */
export function toResultWithStream(result: unknown, stream: string): unknown {
  return stream !== "" && mayHoldStream(result) ? toStreamResult(result, stream) : result;
}

const isSpace = (byte: number | undefined) => byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;

/**
 * Returns the same result as `toResultWithStream` for a non-empty stream as JSON text, without parsing the text, which may have 50 MB.
 * `undefined` if the result cannot contain the stream.
 */
export function addStreamToJson(json: Buffer, stream: string): Buffer | undefined {
  let start = 0;
  let end = json.length - 1;
  while (isSpace(json[start])) start += 1;
  while (end > start && isSpace(json[end])) end -= 1;
  if (json.subarray(start, start + MARK.length).toString() === `"${MARK.trim()}`) return Buffer.from(JSON.stringify(stream));
  if (json[start] !== 0x7b || json[end] !== 0x7d) return undefined;
  let last = end - 1;
  while (isSpace(json[last])) last -= 1;
  // Parsers keep the last of two equal names, so a `wm_stream` of the script is replaced.
  const field = `${last === start ? "" : ","}"wm_stream":${JSON.stringify(stream)}}`;
  return Buffer.concat([json.subarray(start, last + 1), Buffer.from(field)]);
}
