import { isJsonObject } from "../../../../../contract/json/json-object.ts";

type JsonObject = Record<string, unknown>;

/** Reads a text that must be a JSON object. An empty text is an empty object. */
export function readJsonObject(text: string): { object: JsonObject } | { problem: string } {
  try {
    const value: unknown = text.trim() === "" ? {} : JSON.parse(text);
    return isJsonObject(value) ? { object: value } : { problem: 'Enter an object, such as {"name": "Ann"}.' };
  } catch {
    return { problem: "Enter valid JSON." };
  }
}
