import { CommanderError } from "commander";
import { CommandError, exitCodes } from "./errors.ts";
import { endWithReader, style, writeMessage } from "./output/terminal.ts";
import { createProgram } from "./program/program.ts";

/** Executes the command line of the process and sets its exit code. */
export async function execute(): Promise<void> {
  endWithReader();
  try {
    await createProgram().parseAsync();
  } catch (error) {
    process.exitCode = report(error);
  }
}

function report(error: unknown): number {
  // commander has already printed its errors; those of `--help` and `--version` are not failures.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  if (error instanceof CommandError) {
    writeMessage(`${style("red", error.message)}\n`);
    return error.exitCode;
  }
  if (error instanceof Error && error.name === "AbortError") return exitCodes.interrupted;
  const isVerbose = process.argv.includes("--verbose");
  const text = error instanceof Error ? ((isVerbose ? error.stack : undefined) ?? error.message) : String(error);
  writeMessage(`The command failed unexpectedly: ${text}\n${isVerbose ? "" : "Add --verbose to see where.\n"}`);
  return exitCodes.failed;
}
