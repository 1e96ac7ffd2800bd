import { describeError, SvcError } from "../../../contract/errors.ts";
import { type Ending, failedEnding } from "../../../core/jobs/record/lifecycle.ts";
import type { Runnable } from "../../../core/scripts/version.ts";
import type { Preprocessor, RunError } from "../../../runners/protocol.ts";
import { ENTRYPOINT_ARGUMENT, findEntrypoint } from "../invoke-runner.ts";

/** The part of a script's or flow's version that the check of its arguments needs. */
export interface CheckedVersion {
  path: string;
  inputSchema?: Record<string, unknown> | undefined;
}

/**
 * Describes the arguments that do not match the schema of a version whose author has enabled the check. References to resources and variables
 * match everywhere. Returns `undefined` if all match, or if the check is not enabled.
 */
export async function findArgumentProblem(
  { path, inputSchema }: CheckedVersion,
  args: Record<string, unknown>,
): Promise<SvcError<"run.arguments"> | undefined> {
  if (!inputSchema) return undefined;
  const { [ENTRYPOINT_ARGUMENT]: _, ...others } = args;
  if ((findEntrypoint(args) ?? "main") !== "main") {
    const reason = 'must be "main" or absent, because the schema describes no other function';
    return new SvcError("run.arguments", { path, issues: [{ path: ENTRYPOINT_ARGUMENT, reason, at: [ENTRYPOINT_ARGUMENT] }] });
  }
  // Loaded with the first schema, so that functions start faster without it.
  const { findArgumentIssues: argumentIssues } = await import("../../../core/resources/value-check.ts");
  const issues = argumentIssues(inputSchema, others);
  return issues.length > 0 ? new SvcError("run.arguments", { path, issues }) : undefined;
}

/** The error of a run, or of a step, whose arguments do not match. */
export const toValidationError = (problem: SvcError<"run.arguments">): RunError => ({
  name: "ValidationError",
  message: describeError(problem).sentence,
});

/** Ends a job whose arguments do not match. */
export const toInvalidEnding = (problem: SvcError<"run.arguments">): Ending => failedEnding(toValidationError(problem));

/**
 * Returns the request to call the preprocessor of a version, which includes the check of the result if the author of the version has enabled it.
 */
export const toPreprocessor = ({ preprocessor, inputSchema }: Pick<Runnable, "preprocessor" | "inputSchema">): Preprocessor | undefined =>
  preprocessor && { ...preprocessor, ...(inputSchema ? { checks: true } : {}) };
