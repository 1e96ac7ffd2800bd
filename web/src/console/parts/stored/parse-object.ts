import { isJsonObject } from "../../../../../contract/json/json-object.ts";

/** Parses a JSON object. An empty text is none. Returns undefined if the text is broken. */
export function parseObject(json: string): Record<string, unknown> | null | undefined {
  if (json.trim() === "") return null;
  try {
    const parsed: unknown = JSON.parse(json);
    return isJsonObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
