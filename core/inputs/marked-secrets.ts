import { isJsonObject } from "../../contract/json/json-object.ts";
import { replaceMarkedSecrets } from "../../contract/json/marked-secrets.ts";
import { parseReference } from "../../contract/utilities/reference.ts";

/**
 * Returns arguments without the values that a schema marks with `password`, and without resources in the place of their references, which may contain
 * secrets. References and stored files remain: they are names, and each run reads their values with the rights of its user.
 */
export function removeMarkedSecrets(args: Readonly<Record<string, unknown>>, schema: unknown): Record<string, unknown> {
  const keepReference = (value: unknown) => (value === null || parseReference(value) || isStoredFile(value) ? value : undefined);
  const kept = replaceMarkedSecrets(args, isJsonObject(schema) ? schema : {}, { alsoMarked: isResource, replace: keepReference });
  return kept as Record<string, unknown>;
}

const FILE_FIELDS: ReadonlySet<string> = new Set(["s3", "storage", "filename"]);
/** A file with other fields may contain a signature that reads it. */
const isStoredFile = (value: unknown) =>
  isJsonObject(value) && typeof value["s3"] === "string" && Object.keys(value).every((field) => FILE_FIELDS.has(field));

const isResource = ({ format }: Record<string, unknown>) => typeof format === "string" && format.startsWith("resource-");
