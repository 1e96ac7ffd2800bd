import { defined } from "../../../contract/defined.ts";
import { isJsonObject } from "../../../contract/json/json-object.ts";
import { tryParseJson } from "../../payload/json.ts";
import type { ChatFormOptions } from "../chat-message.ts";

/** The JSON texts with which a step sets values and choices of the form in a chat. */
export interface FormOptionTexts {
  defaultsJson?: string | undefined;
  enumsJson?: string | undefined;
}

/** Parses default values and choices, or returns a sentence part about the fault. Throws `body.tooDeep` and `body.number`. */
export function parseFormOptions({ defaultsJson, enumsJson }: FormOptionTexts): ChatFormOptions | string {
  const defaults = parseObject(defaultsJson);
  const enums = parseObject(enumsJson);
  if (defaults === "invalid") return "default_args_json is not a JSON object";
  if (enums === "invalid") return "dynamic_enums_json is not a JSON object";
  const choices = enums && Object.entries(enums).map(([field, values]) => [field, Array.isArray(values) ? values.map(String) : undefined]);
  if (choices?.some(([, values]) => values === undefined)) return "dynamic_enums_json contains a value that is not a list";
  return defined({ defaults, enums: choices && (Object.fromEntries(choices) as Record<string, string[]>) });
}

function parseObject(text: string | undefined): Record<string, unknown> | "invalid" | undefined {
  if (text === undefined || text.trim() === "") return undefined;
  const value = tryParseJson(text)?.json;
  return isJsonObject(value) ? value : "invalid";
}
