import type { RunError } from "../protocol.ts";
import type { Exit } from "./process/child.ts";
import { readableStack, type StackPlaces, withoutPaths } from "./stack.ts";

/** How a job came to its end by itself. */
export type Ending =
  | { kind: "answer"; line: Buffer }
  /** Its process is gone without an answer. */
  | { kind: "exit"; exit: Exit }
  | { kind: "tooLarge" };

/** What a job's end means: its result as JSON text, or its error. */
export type Conclusion = { ok: true; json: Buffer } | { ok: false; error: RunError };

/** Cuts what comes through the answer pipe into lines. */
export class Lines {
  /** Gets every line, without its end. */
  onLine: (line: Buffer) => void = () => {};
  /** A line got longer than the limit; the rest of it is dropped. */
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
/** Above it a result is taken as it is: parsing would need several times its size in memory. */
const PARSE_BYTES = 4 * 1024 * 1024;

/** Reads an answer line. A line that is none (something wrote to file descriptor 3) is a failure, not an accident. */
export function readAnswer(line: Buffer, places: StackPlaces): Conclusion {
  if (line.length > PARSE_BYTES && line.subarray(0, RESULT_START.length).equals(RESULT_START)) {
    return { ok: true, json: line.subarray(RESULT_START.length, line.length - 1) };
  }
  let answer: unknown;
  try {
    answer = JSON.parse(line.toString("utf8"));
  } catch {
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
    if ("error" in answer) return { ok: false, error: readError(answer.error, places) };
  }
  return { ok: false, error: { name: "AnswerError", message: "The script wrote something to file descriptor 3 that is not an answer." } };
}

function readError(value: unknown, places: StackPlaces): RunError {
  const { name, message, stack, reply } = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  const error: RunError = {
    name: typeof name === "string" && name ? name : "Error",
    message: withoutPaths(typeof message === "string" ? message : "", places),
  };
  if (typeof stack === "string" && stack) error.stack = readableStack(stack, places);
  if (typeof reply === "object" && reply !== null) error.reply = reply as Record<string, unknown>;
  return error;
}

/** The error of a process that ended before it answered. */
export function exitError({ code, signal, spawnError }: Exit, entrypoint: string | null): RunError {
  if (spawnError) {
    const { code: reason } = spawnError as NodeJS.ErrnoException;
    if (reason === "E2BIG")
      return { name: "StartError", message: "The arguments are too large for this language: one may hold at most 128 KB." };
    return { name: "StartError", message: `The script's process could not be started (${reason ?? spawnError.name}).` };
  }
  const before = entrypoint ? ` before '${entrypoint}' had returned` : "";
  if (signal === "SIGKILL") {
    return { name: "ExitError", message: "The script was killed by SIGKILL, most likely because memory ran out.", signal };
  }
  if (signal) return { name: "ExitError", message: `The script was ended by signal ${signal}${before}.`, signal };
  return { name: "ExitError", message: `The script ended itself with exit code ${code}${before}.`, exit_code: code ?? 0 };
}
