import * as z from "zod";
import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import type { Storage } from "../../aws/s3/storage.ts";
import type { ObjectKey } from "../../core/objects/keys.ts";
import { parseObject } from "../../core/objects/parse-object.ts";
import { parseJson } from "../../core/records/record-format.ts";

export interface LoadBodiesDeps {
  objects: ObjectTable;
  storage: Storage;
}

/** A value as JSON text, or the location of the text in S3. */
const bodySchema = z.looseObject({ json: z.string().optional(), s3Key: z.string().optional() });

/** Large values are read from S3 this many at a time. */
const AT_ONCE = 16;

/**
 * Loads the values of several objects: a hundred with each request, and each large one with one of its own. `undefined`: the object was deleted
 * since it was listed.
 */
export async function loadBodies({ objects, storage }: LoadBodiesDeps, wanted: ObjectKey[]): Promise<unknown[]> {
  const found = await objects.batchGet(wanted, { consistent: true });
  const values: unknown[] = [];
  for (let start = 0; start < found.length; start += AT_ONCE) {
    const some = found.slice(start, start + AT_ONCE).map(async (object) => {
      if (!object) return undefined;
      const { json, s3Key } = parseObject(bodySchema, object);
      return parseJson({ parent: object.pk, ref: object.sk, json: json ?? (await storage.getObjectText(s3Key ?? "")) });
    });
    values.push(...(await Promise.all(some)));
  }
  return values;
}
