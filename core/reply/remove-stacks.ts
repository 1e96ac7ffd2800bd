/** A JSON number with its source text, which TypeScript's library does not declare yet. */
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };
type Reviver = (this: Record<string, unknown>, key: string, value: unknown, context?: { source?: string }) => unknown;

/**
 * Removes the stack traces of errors from JSON: a stack trace names files and shows code. The text of every other value does not change. The JSON
 * must be valid.
 */
export function removeStacks(json: string): string {
  if (!json.includes('"stack"')) return json;
  const revive: Reviver = function (key, value, context) {
    if (typeof value === "number" && context?.source !== undefined) return rawJSON(context.source);
    return key === "stack" && typeof value === "string" && typeof this["message"] === "string" ? undefined : value;
  };
  return JSON.stringify(JSON.parse(json, revive));
}
