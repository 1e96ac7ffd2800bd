import { styleText } from "node:util";
import { CommanderError } from "commander";
import { CommandError, exitCodes } from "./errors.ts";
import { createProgram } from "./program/program.ts";

/** Executes the command line of the process and sets its exit code. */
export async function execute(): Promise<void> {
  // A reader such as `head` may close the pipe before everything is written.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit();
    throw error;
  });
  try {
    await createProgram().parseAsync();
  } catch (error) {
    process.exitCode = report(error);
  }
}

function report(error: unknown): number {
  // commander has printed its errors, and those of `--help` and `--version` are none.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  if (error instanceof CommandError) {
    process.stderr.write(`${styleText("red", error.message, { stream: process.stderr })}\n`);
    return error.exitCode;
  }
  if (error instanceof Error && error.name === "AbortError") return exitCodes.interrupted;
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return exitCodes.failed;
}
