import pMap from "p-map";
import { readStoredBody } from "../../core/objects/stored-body.ts";
import type { ObjectKey } from "../../core/objects/write.ts";
import type { Uses } from "../uses.ts";

/** Large values are read from S3 this many at a time. */
const AT_ONCE = 16;

/**
 * Loads the values of several versions: a hundred with each request, and each large one with a separate request. `undefined`: the object was deleted
 * since it was listed.
 */
export async function loadBodies({ objects, storage }: Uses<"objects" | "storage">, keys: ObjectKey[]): Promise<unknown[]> {
  const found = await objects.batchGet(keys, { consistent: true });
  return pMap(found, (object) => object && readStoredBody(object, (s3Key) => storage.getObjectText(s3Key)), { concurrency: AT_ONCE });
}
