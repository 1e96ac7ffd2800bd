import type { FileProblem } from "../core/sync/item.ts";

/** The exit codes of `svc`. */
export const exitCodes = { done: 0, failed: 1, usage: 2, changes: 3, interrupted: 130 } as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** A failure that a person can understand and act on: only the message is shown. */
export class CommandError extends Error {
  override readonly name: string = "CommandError";
  readonly exitCode: ExitCode;

  constructor(message: string, { exitCode = exitCodes.failed, ...options }: ErrorOptions & { exitCode?: ExitCode } = {}) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** The command or its files are wrong. Nothing was called. */
export class UsageError extends CommandError {
  override readonly name = "UsageError";

  constructor(message: string) {
    super(message, { exitCode: exitCodes.usage });
  }
}

/** Throws an error with one line for each problem, if there are any. */
export function throwProblems(problems: readonly FileProblem[]): void {
  if (problems.length > 0) throw new UsageError(problems.map(formatProblem).join("\n"));
}

/** Formats a problem of a file. The name is reduced to one line. */
export const formatProblem = ({ file, line, column, message }: FileProblem): string =>
  `${[file.replace(/[\r\n]+/g, " "), line, line === undefined ? undefined : column].filter((part) => part !== undefined).join(":")}: ${message}`;
