import type { Uses } from "../uses.ts";

/** The value of a version as JSON text, or the location of the text in S3. */
export type VersionBody = { json: string } | { s3Key: string };

/** The bytes up to which the fields of a script or flow stay in an item. A DynamoDB item has at most 400 KB. */
export const VERSION_ITEM_BYTES = 100 * 1024;

/** Stores JSON text in S3 if it has more than `itemBytes`, and returns what the item of the version contains. */
export async function storeVersionBody(
  { storage }: Uses<"storage">,
  { s3Key, json, itemBytes }: { s3Key: string; json: string; itemBytes: number },
): Promise<VersionBody> {
  if (Buffer.byteLength(json) <= itemBytes) return { json };
  await storage.putObject(s3Key, json, "application/json");
  return { s3Key };
}
