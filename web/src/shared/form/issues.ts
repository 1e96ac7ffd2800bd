import { type ErrorSchema, ErrorSchemaBuilder } from "@rjsf/utils";
import { issuesOf, type Refused } from "../service.ts";

interface FieldIssue {
  at: string[];
  reason: string;
}

/** Returns the values that the service has refused, each with the parts of its place. Empty: the refusal is about something else. */
export const listIssues = (refused: Pick<Refused, "issues">): FieldIssue[] =>
  issuesOf(refused).flatMap(({ at, reason }) =>
    Array.isArray(at) ? [{ at: at.map(String), reason: `This value ${String(reason)}.` }] : [],
  );

/** Returns the errors of a form's fields. */
export function toFieldErrors(refused: Pick<Refused, "issues">): ErrorSchema | undefined {
  const issues = listIssues(refused);
  const tree = new ErrorSchemaBuilder();
  for (const { at, reason } of issues) tree.addErrors(reason, at);
  return issues.length > 0 ? tree.ErrorSchema : undefined;
}
