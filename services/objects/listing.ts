import { randomUUID } from "node:crypto";
import { type StoredObject, unchangedSince, write } from "../../core/objects/write.ts";
import type { TransactionPart } from "../outbox/commit-parts.ts";

/**
 * Builds the part that changes fields of an object's item in a list. The item has a new version after each change. If the object keeps its version,
 * that of this item decides which of several concurrent changes is the first.
 */
export function buildListingParts(listing: StoredObject | undefined, fields: object): TransactionPart[] {
  if (!listing) return [];
  const changed = { ...listing, value: { ...(listing.value as object), ...fields }, version: randomUUID() };
  return [{ write: write.put(changed, unchangedSince(listing)), refused: undefined }];
}
