import * as z from "zod";
import { parseJson, parseStored } from "../records/record-format.ts";
import type { StoredObject } from "./write.ts";

/** The value of a version as JSON text, or the location of the text in S3. */
export const storedBodySchema = z.object({ json: z.string().optional(), s3Key: z.string().optional() });

/** Returns the value of a version, from its item or from S3. Throws `UnreadableRecordError`. */
export async function readStoredBody(found: StoredObject, readText: (s3Key: string) => Promise<string>): Promise<unknown> {
  const record = { parent: found.pk, ref: found.sk };
  const { json, s3Key } = parseStored(storedBodySchema, found.value, record);
  return parseJson({ ...record, json: json ?? (await readText(s3Key ?? "")) });
}
