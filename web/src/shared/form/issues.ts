import { type ErrorSchema, ErrorSchemaBuilder } from "@rjsf/utils";
import { isJsonObject } from "../../../../contract/json/json-object.ts";
import type { Refused } from "../service.ts";

interface FieldIssue {
  at: string[];
  reason: string;
}

/** Returns the values that the service has refused, each with the parts of its place. Empty: the refusal is about something else. */
export function listIssues({ issues }: Pick<Refused, "issues">): FieldIssue[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(issues);
  } catch {
    // A proxy may have cut the header.
  }
  return (Array.isArray(parsed) ? parsed : []).flatMap((issue: unknown) => {
    if (!isJsonObject(issue) || !Array.isArray(issue["at"])) return [];
    return [{ at: issue["at"].map(String), reason: `This value ${String(issue["reason"])}.` }];
  });
}

/** Returns the errors of a form's fields. */
export function toFieldErrors(refused: Pick<Refused, "issues">): ErrorSchema | undefined {
  const issues = listIssues(refused);
  const tree = new ErrorSchemaBuilder();
  for (const { at, reason } of issues) tree.addErrors(reason, at);
  return issues.length > 0 ? tree.ErrorSchema : undefined;
}
