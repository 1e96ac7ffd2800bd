import { isJsonObject } from "../../../../../contract/json/json-object.ts";
import { replaceMarkedSecrets } from "../../../../../contract/json/marked-secrets.ts";
import { parseReference } from "../../../../../contract/utilities/reference.ts";

type Schema = Record<string, unknown>;

/** Secrets, resources that are written out, and the content of files, which would fill the storage. */
const isMarked = ({ password, format, writeOnly, sensitive, contentEncoding }: Schema): boolean =>
  password === true ||
  writeOnly === true ||
  sensitive === true ||
  contentEncoding === "base64" ||
  (typeof format === "string" && (format === "password" || format === "data-url" || format.startsWith("resource-")));

/** Keywords of schemas that the search for marked values does not follow. */
const NOT_FOLLOWED = [
  "dependencies",
  "dependentSchemas",
  "if",
  "not",
  "unevaluatedProperties",
  "$dynamicRef",
  "contains",
  "unevaluatedItems",
];

/** A stored file is a reference too. */
const isStoredFile = (value: unknown): boolean =>
  isJsonObject(value) && Object.keys(value).every((name) => name === "s3") && typeof value["s3"] === "string";

function listSchemas(schema: unknown): Schema[] {
  const found: Schema[] = [];
  const waiting = [schema];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== "object" || next === null) continue;
    if (!Array.isArray(next)) found.push(next as Schema);
    for (const inner of Object.values(next)) waiting.push(inner);
  }
  return found;
}

/** Returns whether a schema marks any value that a browser must not store. */
export const marksSecrets = (schema: unknown): boolean => listSchemas(schema).some(isMarked);

/**
 * Returns the values of a form that a browser may store: without those that its schema marks as secrets, without resources and files that are
 * written out. References remain, because they are names. `undefined`: the schema is too special to tell.
 */
export function withoutSecrets(values: Schema, schema: Schema | undefined): Schema | undefined {
  if (!marksSecrets(schema)) return values;
  if (listSchemas(schema).some((one) => NOT_FOLLOWED.some((keyword) => isJsonObject(one[keyword])))) return undefined;
  const keepReference = (value: unknown) => (parseReference(value) || isStoredFile(value) ? value : undefined);
  return replaceMarkedSecrets(values, schema ?? {}, { alsoMarked: isMarked, replace: keepReference }) as Schema;
}
