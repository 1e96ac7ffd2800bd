import type { TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import type { Expectation, ObjectChange, ObjectKey, ObjectWrite, StoredObject } from "../core/objects/write.ts";

/** One write of a transaction, as DynamoDB receives it. */
export type TransactionPart = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/** An unconditional put and the table that it writes to. */
export interface PutRequest {
  table: string;
  request: NonNullable<NonNullable<import("@aws-sdk/lib-dynamodb").BatchWriteCommandInput["RequestItems"]>[string]>[number];
}

/** One write of a transaction: of an object, or `raw` for another table. */
export type TransactionWrite = ObjectWrite | { raw: TransactionPart };

/** The key of an item and the workspace that its value names. */
export interface ScannedItem extends ObjectKey {
  workspace: string | undefined;
}

/**
 * Everything that is stored except jobs: the table `objects`. Expired objects count as absent. Reads can be repeated. Writes throw
 * `write.collided` if they collide with other writes in every attempt, `body.tooLarge` for an item above 400 KB, and `body.number` for a number or
 * a depth that DynamoDB cannot store.
 */
export interface ObjectStore {
  /** Reads an object. The read is consistent unless `consistent` is false. A key that no item can have is absent. */
  get(key: ObjectKey, options?: { consistent?: boolean }): Promise<StoredObject | undefined>;
  /** Reads objects in calls of up to 100 and returns them in the order of the keys. The read is eventually consistent unless `consistent` is true. */
  batchGet(keys: ObjectKey[], options?: { consistent?: boolean }): Promise<(StoredObject | undefined)[]>;
  /** Reads a partition by a consistent read, sorted by sort key. `between` is inclusive. `limit` counts items before expired ones are left out. */
  list(
    pk: string,
    options?: { beginsWith?: string; between?: [string, string]; newestFirst?: boolean; limit?: number },
  ): Promise<StoredObject[]>;
  /**
   * Reads up to `limit` items of a partition by a consistent read, backwards by sort key from `before` (exclusive). Returns the `before` of the next
   * page unless this is the last one. A page can be short, because expired items are left out.
   */
  listPage(pk: string, page: { before: string | undefined; limit: number }): Promise<{ objects: StoredObject[]; before?: string }>;
  /**
   * Reads items of a partition by one consistent read, by sort key from `after` (exclusive): up to `limit`, or 1 MB. Returns the `after` of the
   * next read unless this is the last one.
   */
  listAfter(
    pk: string,
    page: { after: string | undefined; limit?: number | undefined },
  ): Promise<{ objects: StoredObject[]; after?: string }>;
  /** Builds an unconditional put for a batch together with another table (`JobStore.putWith`). */
  putRequest(object: StoredObject): PutRequest;
  /** Replaces an object. Returns false, and writes nothing, if the condition is false. Without a condition the last writer wins. */
  put(object: StoredObject, expect?: Expectation): Promise<boolean>;
  /** Replaces the given fields. Returns false, and writes nothing, if the condition is false. Without a condition it creates a missing object. */
  update(change: ObjectChange, expect?: Expectation): Promise<boolean>;
  /** Deletes an object, unless the condition is false. A missing object is not an error, so the call can be repeated. */
  deleteItem(key: ObjectKey, expect?: Expectation): Promise<void>;
  /**
   * Writes all parts or none, up to 100. Returns the index of the first part whose condition is false, or
   * `undefined` if everything was written. The attempts of one call are idempotent; a second call is not, so it needs conditions.
   */
  transactWrite(parts: TransactionWrite[]): Promise<number | undefined>;
}

/** Reads one page of the complete table `objects` in undefined order. It reads every item, so only rare operations use it. */
export type ScanObjects = (after: ObjectKey | undefined) => Promise<{ items: ScannedItem[]; next: ObjectKey | undefined }>;
