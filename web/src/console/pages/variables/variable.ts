import { ask } from "../../data/objects-api.ts";
import { storedText, variablesText } from "../../messages/objects/stored.ts";
import { type ComparedField, compared } from "../../parts/stored/compared-fields.ts";
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

/** A new variable is a secret until its author unticks the field, so that the browser does not store its value before. */
export const newVariable: VariableValues = { path: "", value: "", isSecret: true, wasSecret: false, description: "" };

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

/** Returns the values that the browser may store: no value of a variable that is or was a secret. */
export function keepableVariable({ path, value, isSecret, wasSecret, description }: VariableValues): Partial<VariableValues> {
  return { path, isSecret, description, ...(isSecret || wasSecret ? {} : { value }) };
}

/** The fields in which two versions are compared, without the value of a secret. */
export const variableFields: readonly ComparedField<VariableValues>[] = [
  compared(storedText.path, "path"),
  {
    label: variablesText.value,
    keys: ["value", "wasSecret"],
    toText: ({ value, isSecret, wasSecret }) => (isSecret || wasSecret ? storedText.unchanged : value),
    fromText: (text) => ({ value: text }),
  },
  compared(variablesText.secret, "isSecret"),
  compared(storedText.description, "description"),
];
