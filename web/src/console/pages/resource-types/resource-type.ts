import { isJsonObject } from "../../../../../contract/json/json-object.ts";
import { ask } from "../../data/objects-api.ts";
import { storedText, typesText } from "../../messages/objects/stored.ts";
import { type ComparedField, compared } from "../../parts/stored/compared-fields.ts";
import type { Loaded } from "../../parts/stored/use-editor.ts";

/** The fields of the form of a resource type. */
export interface TypeValues {
  name: string;
  description: string;
  /** JSON. */
  schema: string;
}

const EMPTY_SCHEMA = { type: "object", properties: {}, required: [] };
/** Returns a schema as its form shows it. */
export const toText = (schema: object): string => JSON.stringify(schema, null, 2);

export const newType: TypeValues = { name: "", description: "", schema: toText(EMPTY_SCHEMA) };

/** Reads a resource type for its form. */
export async function loadType(workspace: string, name: string): Promise<Loaded<TypeValues>> {
  const { value, headers } = await ask.resources.types.get({ workspace, name });
  const { description = "", schema = EMPTY_SCHEMA } = value;
  return { values: { name, description, schema: toText(schema) }, version: headers.get("etag") ?? undefined };
}

/** Returns the schema that a text contains, or `undefined` if it is no JSON object. */
export function parseSchema(text: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Reads the file of a resource type. The name of the file gives the name of the type, unless the content does. */
export function parseTypeFile(fileName: string, text: string): TypeValues | undefined {
  const content = parseSchema(text);
  if (!isJsonObject(content?.["schema"])) return undefined;
  const { name, description, schema } = content;
  return {
    name: typeof name === "string" ? name : (/^[A-Za-z0-9_-]+/.exec(fileName)?.[0] ?? ""),
    description: typeof description === "string" ? description : "",
    schema: toText(schema as object),
  };
}

/** The fields in which two versions are compared. */
export const typeFields: readonly ComparedField<TypeValues>[] = [
  compared(storedText.name, "name"),
  compared(storedText.description, "description"),
  compared(typesText.schema, "schema"),
];
