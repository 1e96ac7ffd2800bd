/** Parses a JSON object. An empty text is none. Returns undefined if the text is broken. */
export function parseObject(json: string): Record<string, unknown> | null | undefined {
  if (json.trim() === "") return null;
  try {
    const parsed: unknown = JSON.parse(json);
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed) ? (parsed as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
