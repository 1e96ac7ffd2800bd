import * as z from "zod";
import { parseJson } from "../records/record-format.ts";
import { parseObject } from "./parse-object.ts";
import type { StoredObject } from "./write.ts";

/** The value of a version as JSON text, or the location of the text in S3. */
const bodySchema = z.object({ json: z.string().optional(), s3Key: z.string().optional() });

/** Returns the value of a version, from its item or from S3. Throws `UnreadableRecordError`. */
export async function readStoredBody(found: StoredObject, readText: (s3Key: string) => Promise<string>): Promise<unknown> {
  const { json, s3Key } = parseObject(bodySchema, found);
  return parseJson({ parent: found.pk, ref: found.sk, json: json ?? (await readText(s3Key ?? "")) });
}
