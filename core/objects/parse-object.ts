import type * as z from "zod";
import { parseReadable, parseStored } from "../records/record-format.ts";
import type { StoredObject } from "./write.ts";

/** Parses the value of a stored object. Throws `UnreadableRecordError` with the object's key. */
export function parseObject<T>(schema: z.ZodType<T>, { pk, sk, value }: StoredObject): T {
  return parseStored(schema, value, { parent: pk, ref: sk });
}

/** Parses the values of stored objects for a list. One that cannot be read is reported and left out, so that it does not fail the list. */
export function parseReadableObjects<T>(schema: z.ZodType<T>, objects: readonly StoredObject[]): T[] {
  const records = objects.map((object) => ({ parent: object.pk, ref: object.sk, object }));
  const parse = ({ object }: (typeof records)[number]) => parseObject(schema, object);
  return parseReadable(records, parse).map(([, value]) => value);
}
