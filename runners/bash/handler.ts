import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findExcess, parseExactJson } from "../../contract/json/exact-json.ts";
import type { RunRequest } from "../protocol.ts";
import type { Conclusion } from "../shared/answers.ts";
import { exitError } from "../shared/answers.ts";
import { type ProgramEnd, programLanguage } from "../shared/program-runtime.ts";
import { createHandler, tooLarge } from "../shared/supervise.ts";

/** Runs bash scripts: arguments are $1 … in the order of their declaration; the result is `result.json`, `result.out` or the last line of output. */
export const handler = createHandler(
  programLanguage({
    name: "bash",
    answers: false,
    start(request, artefact) {
      const args = argumentsOf(request);
      const names = request.params ?? Object.keys(args);
      // Absent arguments at the end are left out, so that the script's own defaults apply. One before a present argument needs its position.
      const count = names.findLastIndex((name) => args[name] !== undefined) + 1;
      return { command: ["/bin/bash", join(artefact, "main.sh"), ...names.slice(0, count).map((name) => asText(args[name]))], env: {} };
    },
    conclude,
  }),
);

function argumentsOf({ args, exactArgs }: RunRequest): Record<string, unknown> {
  return exactArgs ? (parseExactJson(Buffer.from(exactArgs, "base64").toString()) as Record<string, unknown>) : args;
}

/** Formats an argument as $n: text unchanged, absent and null as empty text, everything else as JSON. */
function asText(value: unknown): string {
  if (value === undefined || value === null) return "";
  // The operating system ends an argument at the first NUL.
  return (typeof value === "string" ? value : JSON.stringify(value)).replaceAll("\0", "");
}

function conclude({ ending, request, jobDirectory, lastLine }: ProgramEnd): Conclusion {
  const exit = ending.kind === "exit" ? ending.exit : { code: null, signal: null };
  if (exit.code !== 0) {
    const error = exitError(exit, null);
    if (exit.code !== null) error.message = `The script exited with code ${exit.code}.`;
    return { ok: false, error };
  }
  const json = readResult(join(jobDirectory, "result.json"), request.maxResultBytes);
  if (json === "tooLarge") return { ok: false, error: tooLarge(request.maxResultBytes) };
  if (json) {
    const excess = findExcess(json.toString("latin1"));
    if (excess) return { ok: false, error: { name: "ResultError", message: `result.json cannot be used: ${excess}` } };
    try {
      return { ok: true, json: Buffer.from(JSON.stringify(parseExactJson(json.toString("utf8")))) };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { ok: false, error: { name: "ResultError", message: `result.json is not valid JSON: ${reason}` } };
    }
  }
  const text = readResult(join(jobDirectory, "result.out"), request.maxResultBytes);
  if (text === "tooLarge") return { ok: false, error: tooLarge(request.maxResultBytes) };
  const result = text ? text.toString("utf8").replace(/\r?\n$/, "") : (lastLine ?? null);
  return { ok: true, json: Buffer.from(JSON.stringify(result)) };
}

/** Reads a regular file that the script wrote; `undefined` if there is none. Does not block if the script created a named pipe instead. */
function readResult(path: string, maxBytes: number): Buffer | "tooLarge" | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch {
    // The script has not written this file.
    return undefined;
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return undefined;
    return stat.size > maxBytes ? "tooLarge" : readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}
