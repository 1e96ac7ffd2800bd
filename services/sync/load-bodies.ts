import { readStoredBody } from "../../core/objects/stored-body.ts";
import type { ObjectKey } from "../../core/objects/write.ts";
import type { LoadItemsDeps } from "./archive-context.ts";

/** Large values are read from S3 this many at a time. */
const AT_ONCE = 16;

/**
 * Loads the values of several versions: a hundred with each request, and each large one with a separate request. `undefined`: the object was deleted
 * since it was listed.
 */
export async function loadBodies(
  { objects, storage }: Pick<LoadItemsDeps, "objects" | "storage">,
  wanted: ObjectKey[],
): Promise<unknown[]> {
  const found = await objects.batchGet(wanted, { consistent: true });
  const values: unknown[] = [];
  for (let start = 0; start < found.length; start += AT_ONCE) {
    const some = found.slice(start, start + AT_ONCE);
    values.push(...(await Promise.all(some.map((object) => object && readStoredBody(object, (s3Key) => storage.getObjectText(s3Key))))));
  }
  return values;
}
