import * as z from "zod";
import { parseRecord, parseStored } from "../records/record-format.ts";
import type { StoredObject } from "./write.ts";

/** A value that is stored as JSON text: its keys may have any names, which the table's client would not preserve. */
const jsonValueSchema = z.object({ json: z.string() });

/** Returns the stored form of a value. */
export const toJsonValue = (value: unknown): z.infer<typeof jsonValueSchema> => ({ json: JSON.stringify(value) });

/** Returns the value that an object stores as JSON text. Throws `UnreadableRecordError`. */
export function parseJsonValue<T>(schema: z.ZodType<T>, found: StoredObject): T {
  const record = { parent: found.pk, ref: found.sk };
  const { json } = parseStored(jsonValueSchema, found.value, record);
  return parseRecord(schema, { ...record, json });
}
