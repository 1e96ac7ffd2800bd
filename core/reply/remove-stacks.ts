/**
 * Removes the stack traces of errors from JSON: a stack trace names files and shows code. The text of every other value does not change. The JSON
 * must be valid.
 */
export function removeStacks(json: string): string {
  if (!json.includes('"stack"')) return json;
  const parsed = JSON.parse(json, function (key, value, { source }) {
    if (typeof value === "number" && source !== undefined) return JSON.rawJSON?.(source) ?? value;
    return key === "stack" && typeof value === "string" && typeof this["message"] === "string" ? undefined : value;
  });
  return JSON.stringify(parsed);
}
