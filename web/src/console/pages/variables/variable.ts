import { ask } from "../../data/objects-api.ts";
import { storedText, variablesText } from "../../messages/objects/stored.ts";
import type { Described } from "../../parts/stored/differing-fields.ts";
import type { Loaded } from "../../parts/stored/use-editor.ts";

/** The fields of the form of a variable. */
export interface VariableValues {
  path: string;
  /** Empty in the form of a stored secret: the secret stays. */
  value: string;
  isSecret: boolean;
  /** The stored variable is a secret. */
  wasSecret: boolean;
  description: string;
}

export const newVariable: VariableValues = { path: "", value: "", isSecret: false, wasSecret: false, description: "" };

/** Reads a variable for its form. The value of a secret is not read. */
export async function loadVariable(workspace: string, path: string): Promise<Loaded<VariableValues>> {
  const query = { decrypt_secret: false };
  const { value, headers } = await ask.variables.get({ workspace, path, query });
  const { is_secret, description = "", value: text = "" } = value;
  return {
    values: { path: value.path, value: text, isSecret: is_secret, wasSecret: is_secret, description },
    version: headers.get("etag") ?? undefined,
  };
}

/** Returns the fields that a save sends. A secret that was not typed again stays as it is stored. */
export function toVariableChange({ path, value, isSecret, wasSecret, description }: VariableValues) {
  const fields = { path, is_secret: isSecret, description };
  return wasSecret && value === "" ? fields : { ...fields, value };
}

/** Describes a variable for the comparison of two versions, without the value of a secret. */
export function describeVariable({ path, value, isSecret, wasSecret, description }: VariableValues): Described {
  const isHidden = isSecret || wasSecret;
  return {
    [storedText.path]: path,
    [variablesText.value]: isHidden ? storedText.unchanged : value,
    [variablesText.secret]: isSecret ? "✓" : "",
    [storedText.description]: description,
  };
}
