import type { Refused } from "../../../shared/service.ts";

export interface FieldIssue {
  path: string[];
  reason: string;
}

/** Returns the values that the service has refused, each with its place. Empty: the refusal is about something else. */
export function issuesOf({ code, message }: Refused): FieldIssue[] {
  if (code !== "run.arguments") return [];
  // The path of a script contains no dot.
  const [, list = ""] = /^The arguments do not match the schema of [^.]+\. (.*?)\.?$/s.exec(message) ?? [];
  return list.split("; ").flatMap((issue) => {
    const [, path = "", reason = ""] = /^([^:]+): (.+)$/s.exec(issue) ?? [];
    return path === "" || path.startsWith("(") ? [] : [{ path: path.split("."), reason: toSentence(reason) }];
  });
}

/** `is missing` becomes `This value is missing.` */
const toSentence = (reason: string) => `This value ${reason}.`;
