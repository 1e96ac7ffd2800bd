import { randomUUID } from "node:crypto";
import { defined } from "../../../contract/defined.ts";
import type { ObjectKey } from "../../../core/objects/write.ts";
import { type Expectation, type ObjectWrite, type StoredObject, unchangedSince, write } from "../../../core/objects/write.ts";
import type { TokenRecord } from "../../../core/people/token.ts";
import { tokenObject, userTokenObject } from "../../../core/people/token.ts";
import { listExpiryKeys, type TokenExpiry, tokenExpiryObject, toTokenExpiry } from "../../../core/people/token-expiry.ts";
import type { ObjectStore } from "../../../ports/object-store.ts";

/** Builds the object that stores the index entry of a token under one of its keys. */
export const toExpiryObject = ({ pk, sk }: ObjectKey, value: TokenExpiry): StoredObject => ({ pk, sk, value, version: randomUUID() });

/** Builds the index entry of a token that has none. It is refused if the token has one, whether or not it was announced. */
export function buildExpiryWrites(record: TokenRecord): ObjectWrite[] {
  const entry = toTokenExpiry(record);
  if (!entry) return [];
  const { first, end, all } = listExpiryKeys(entry);
  return [write.put(toExpiryObject(first, entry), "absent"), ...(all.length > 1 ? [write.check(end, "absent")] : [])];
}

/** Builds the change of the index entry of a token whose label has changed. An earlier release may have stored the token without an entry. */
export async function buildExpiryUpdate(objects: Pick<ObjectStore, "batchGet">, record: TokenRecord): Promise<ObjectWrite[]> {
  const entry = toTokenExpiry(record);
  if (!entry) return [];
  const stored = (await objects.batchGet(listExpiryKeys(entry).all, { consistent: true })).find((found) => found !== undefined);
  if (!stored) return buildExpiryWrites(record);
  const { sent } = tokenExpiryObject.parse(stored);
  return [write.put(toExpiryObject(stored, { ...entry, ...defined({ sent }) }), unchangedSince(stored))];
}

/** Builds the removal of a token with its index entry. `expect` is the condition of the first part. */
export function buildTokenRemovals(record: TokenRecord, expect?: Expectation): ObjectWrite[] {
  const entry = toTokenExpiry(record);
  return [
    write.remove(tokenObject.key(record.hash), expect),
    write.remove(userTokenObject.key(record.email, record.prefix, record.hash)),
    ...(entry ? listExpiryKeys(entry).all.map((key) => write.remove(key)) : []),
  ];
}
