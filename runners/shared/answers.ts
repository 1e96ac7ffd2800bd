import { findExcess, parseExactJson } from "../../contract/json/exact-json.ts";
import type { RunError } from "../protocol.ts";
import type { Exit } from "./process/child.ts";
import { readableStack, type StackPlaces, withoutPaths } from "./stack.ts";

/** The end of a job without a decision of the supervisor. */
export type Ending =
  | { kind: "answer"; line: Buffer }
  /** The process ended before it wrote an answer. */
  | { kind: "exit"; exit: Exit }
  | { kind: "tooLarge" };

/** The outcome of a job: its result as JSON text, or its error. */
export type Conclusion = { ok: true; json: Buffer } | { ok: false; error: RunError };

/** Splits the bytes of the answer pipe into lines. */
export class Lines {
  /** Receives every line, without its newline. */
  onLine: (line: Buffer) => void = () => {};
  /** Called when a line exceeds `maxBytes`. The rest of that line is dropped. */
  onOverflow: () => void = () => {};
  maxBytes = Number.POSITIVE_INFINITY;
  #chunks: Buffer[] = [];
  #bytes = 0;

  push(chunk: Buffer): void {
    let rest = chunk;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      this.#chunks.push(rest.subarray(0, end));
      const line = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
      this.#chunks = [];
      this.#bytes = 0;
      rest = rest.subarray(end + 1);
      this.onLine(line);
    }
    if (rest.length === 0) return;
    this.#bytes += rest.length;
    if (this.#bytes <= this.maxBytes) {
      this.#chunks.push(rest);
      return;
    }
    this.#chunks = [];
    this.onOverflow();
  }
}

const RESULT_START = Buffer.from('{"ok":true,"result":');
/** A result above this size is passed on unparsed, because parsing needs several times its size in memory. */
const PARSE_BYTES = 4 * 1024 * 1024;

/** Reads an answer line. Any other content on file descriptor 3 was written by the script, so it is an `AnswerError` of the job. */
export function readAnswer(line: Buffer, places: StackPlaces): Conclusion {
  if (line.length > PARSE_BYTES && line.subarray(0, RESULT_START.length).equals(RESULT_START)) {
    return { ok: true, json: line.subarray(RESULT_START.length, line.length - 1) };
  }
  let answer: unknown;
  try {
    answer = parseExactJson(line.toString("utf8"));
  } catch {
    // The check below reports the fault.
    answer = undefined;
  }
  if (typeof answer === "object" && answer !== null && "ok" in answer) {
    if (answer.ok === true) {
      if (line.subarray(0, RESULT_START.length).equals(RESULT_START)) {
        return { ok: true, json: line.subarray(RESULT_START.length, line.length - 1) };
      }
      const result = "result" in answer ? answer.result : null;
      return { ok: true, json: Buffer.from(JSON.stringify(result ?? null)) };
    }
    if ("error" in answer) return { ok: false, error: readError(answer.error, places, findExcess(line.toString("latin1"))) };
  }
  return { ok: false, error: { name: "AnswerError", message: "The script wrote data to file descriptor 3 that is not an answer." } };
}

/** `excess`: a value in the answer is beyond the limits. Only the reply can contain such a value. */
function readError(value: unknown, places: StackPlaces, excess: string | undefined): RunError {
  const { name, message, stack, reply } = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  const error: RunError = {
    name: typeof name === "string" && name ? name : "Error",
    message: withoutPaths(typeof message === "string" ? message : "", places),
  };
  if (typeof stack === "string" && stack) error.stack = readableStack(stack, places);
  if (typeof reply === "object" && reply !== null && !Array.isArray(reply) && !excess) error.reply = reply as Record<string, unknown>;
  return error;
}

/** The error of a process that ended before it wrote an answer. `entrypoint` is `null` for a language without functions. */
export function exitError({ code, signal, spawnError }: Exit, entrypoint: string | null): RunError {
  if (spawnError) {
    const { code: reason } = spawnError as NodeJS.ErrnoException;
    if (reason === "E2BIG")
      return { name: "StartError", message: "The arguments are too large for this language: each is limited to 128 KB." };
    return { name: "StartError", message: `The script's process could not be started (${reason ?? spawnError.name}).` };
  }
  const before = entrypoint ? ` before '${entrypoint}' returned` : "";
  if (signal === "SIGKILL") {
    return { name: "ExitError", message: "The script was killed by SIGKILL, most likely because memory ran out.", signal };
  }
  if (signal) return { name: "ExitError", message: `The script was terminated by signal ${signal}${before}.`, signal };
  return { name: "ExitError", message: `The script exited with code ${code}${before}.`, exit_code: code ?? 0 };
}
