import { isJsonObject } from "../../../../../contract/json/json-object.ts";
import { parseReference } from "../../../../../contract/utilities/reference.ts";
import { errorsOf } from "../../../shared/form/validator.ts";

type Args = Record<string, unknown>;

/** Reads arguments that were written as JSON. Returns the reason for which they cannot be sent otherwise. */
export function readArguments(text: string, schema: Args | undefined): { args: Args } | { problem: string } {
  let value: unknown;
  try {
    value = text.trim() === "" ? {} : JSON.parse(text);
  } catch {
    return { problem: "Enter valid JSON." };
  }
  if (!isJsonObject(value)) return { problem: 'Enter an object, such as {"name": "Ann"}.' };
  // A reference is valid everywhere, because the service replaces it by its value.
  const errors = errorsOf(schema ?? {}, value).filter(({ path }) => !parseReference(valueAt(value, path)));
  if (errors.length === 0) return { args: value };
  return { problem: errors.map(({ path, message }) => `${path.join(".")}: ${message}`).join("\n") };
}

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, part) => (typeof inner === "object" && inner !== null ? (inner as Args)[part] : undefined), value);
