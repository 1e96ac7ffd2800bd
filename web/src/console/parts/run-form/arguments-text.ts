import { parseReference } from "../../../../../contract/utilities/reference.ts";
import { errorsOf } from "../../../shared/form/validator.ts";
import { readJsonObject } from "./json-object.ts";
import { isShowable } from "./showable-schema.ts";

type Args = Record<string, unknown>;

/** Reads arguments that were written as JSON. Returns the reason for which they cannot be sent otherwise. */
export function readArguments(text: string, schema: Args | undefined): { args: Args } | { problem: string } {
  const read = readJsonObject(text);
  if ("problem" in read) return read;
  // A reference is valid everywhere, because the service replaces it by its value.
  // A schema that no form can show has no end, or too many parts, for the checks as well. The service checks the arguments.
  const errors = errorsOf(isShowable(schema) ? (schema ?? {}) : {}, read.object).filter(
    ({ path }) => !parseReference(valueAt(read.object, path)),
  );
  if (errors.length === 0) return { args: read.object };
  return { problem: errors.map(({ path, message }) => `${path.join(".")}: ${message}`).join("\n") };
}

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, part) => (typeof inner === "object" && inner !== null ? (inner as Args)[part] : undefined), value);
