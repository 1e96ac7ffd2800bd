import type { Answers } from "./errors/answer.ts";
import { type ApprovalErrors, approvalAnswers } from "./errors/approvals.ts";
import { type ConsoleErrors, consoleAnswers } from "./errors/console.ts";
import { type FileErrors, fileAnswers } from "./errors/files.ts";
import { type HttpRouteErrors, httpRouteAnswers } from "./errors/http-routes.ts";
import { type JobErrors, jobAnswers } from "./errors/jobs.ts";
import { type ObjectErrors, objectAnswers } from "./errors/objects.ts";
import { type PeopleErrors, peopleAnswers } from "./errors/people.ts";
import { type RequestErrors, requestAnswers } from "./errors/requests.ts";
import { type ScriptAndFlowErrors, scriptAndFlowAnswers } from "./errors/scripts-and-flows.ts";
import { type TriggerErrors, triggerAnswers } from "./errors/triggers.ts";

/** Maps each error code to its details. To add a code, add it and its answer to the file of its domain in `contract/errors/`. */
interface ErrorDetails
  extends RequestErrors,
    ObjectErrors,
    FileErrors,
    ScriptAndFlowErrors,
    ApprovalErrors,
    JobErrors,
    PeopleErrors,
    TriggerErrors,
    ConsoleErrors,
    HttpRouteErrors {}
export type ErrorCode = keyof ErrorDetails;

/** A failure that a caller can act on. Any other failure is a bug and remains a plain error. */
export class SvcError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = "SvcError";
  readonly code: C;
  readonly details: ErrorDetails[C];
  constructor(code: C, details: ErrorDetails[C], options?: ErrorOptions) {
    super(`${code} ${JSON.stringify(details)}`, options);
    this.code = code;
    this.details = details;
  }
}

/** Prefer this to `instanceof`, which types `code` as `any`. With this guard, checking `code` narrows `details`. */
export function isSvcError(error: unknown): error is { [C in ErrorCode]: SvcError<C> }[ErrorCode] {
  return error instanceof SvcError;
}

/** The name of the error with which a function of the service fails if the same call may succeed a moment later. State machines repeat the call. */
export const BUSY_ERROR = "ServiceBusy";

/** Returns whether the same call may succeed a moment later: AWS refused it, or other writers were first. It does not count as an attempt. */
export function isBusyError(error: unknown): boolean {
  return isSvcError(error) && (error.code === "service.busy" || error.code === "write.collided");
}

/** The response for each code: the HTTP status and one plain sentence. */
export const answers: Answers<ErrorDetails> = {
  ...requestAnswers,
  ...objectAnswers,
  ...fileAnswers,
  ...scriptAndFlowAnswers,
  ...approvalAnswers,
  ...jobAnswers,
  ...peopleAnswers,
  ...triggerAnswers,
  ...consoleAnswers,
  ...httpRouteAnswers,
};

/** Returns the HTTP status and the sentence of an error. */
export function describeError<C extends ErrorCode>(error: SvcError<C>): { status: number; sentence: string } {
  const answer: Answers<ErrorDetails>[C] = answers[error.code];
  return { status: answer.status, sentence: answer.describe(error.details) };
}
