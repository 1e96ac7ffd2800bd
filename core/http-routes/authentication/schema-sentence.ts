import type * as z from "zod";

/** Returns the first fault of a resource's value as a sentence with the name of the field. It contains no value, because values are secrets. */
export function toSentence({ issues }: z.ZodError): string {
  const [issue] = issues;
  if (issue?.code === "unrecognized_keys")
    return `The field ${nameOf(issue.keys)} of the resource cannot be used: its type has no such field.`;
  const field = issue?.path.join(".") || "value";
  return `The field ${field} of the resource cannot be used: ${issue?.code === "custom" || issue?.code === "invalid_format" ? issue.message : "it has a wrong type or length"}.`;
}

const nameOf = ([name = ""]: readonly string[]) => name.slice(0, 50).replace(/[^\w.]/g, "_");
