import { isJsonObject } from "../../../../../contract/json/json-object.ts";
import { ask } from "../../data/objects-api.ts";
import { resourcesText, storedText } from "../../messages/objects/stored.ts";
import { withoutSecrets } from "../../parts/draft/without-secrets.ts";
import { type ComparedField, compared } from "../../parts/stored/compared-fields.ts";
import type { Loaded } from "../../parts/stored/use-editor.ts";

/** The fields of the form of a resource. */
export interface ResourceValues {
  path: string;
  type: string;
  description: string;
  value: unknown;
}

export const newResource: ResourceValues = { path: "", type: "", description: "", value: {} };

/** Reads a resource for its form. References in its value stay references. */
export async function loadResource(workspace: string, path: string): Promise<Loaded<ResourceValues>> {
  const { value: stored, headers } = await ask.resources.get({ workspace, path });
  const { resource_type: type, description = "", value = null } = stored;
  return { values: { path, type, description, value }, version: headers.get("etag") ?? undefined };
}

/** Matches the names of fields that usually contain secrets, because types do not mark all of them. */
const SECRET_NAME = /pass|secret|token|key|credential|private|auth|cert/i;

/**
 * Returns the values that the browser may store. The value of a resource is part of them only as far as the schema of its type names the fields,
 * and neither marks them as secrets nor names them like one.
 */
export function keepableResource(
  { value, ...fields }: ResourceValues,
  schema: Record<string, unknown> | undefined,
): Partial<ResourceValues> {
  const properties = isJsonObject(schema?.["properties"]) ? schema["properties"] : {};
  const kept = isJsonObject(value) ? withoutSecrets(value, schema) : undefined;
  const named = Object.entries(kept ?? {}).filter(([name]) => Object.hasOwn(properties, name));
  const plain = named.flatMap(([name, inner]) => (SECRET_NAME.test(name) ? [] : [[name, withoutNamedSecrets(inner)]]));
  return plain.length === 0 ? fields : { ...fields, value: Object.fromEntries(plain) };
}

function withoutNamedSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNamedSecrets);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([name]) => !SECRET_NAME.test(name));
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutNamedSecrets(inner)]));
}

/** The fields in which two versions are compared. */
export const resourceFields: readonly ComparedField<ResourceValues>[] = [
  compared(storedText.path, "path"),
  compared(resourcesText.type, "type"),
  compared(storedText.description, "description"),
  compared(resourcesText.value, "value"),
];
