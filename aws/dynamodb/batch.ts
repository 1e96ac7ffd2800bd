import { setTimeout as sleep } from "node:timers/promises";
import { BatchGetCommand, BatchWriteCommand, type BatchWriteCommandInput, GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Table } from "dynamodb-toolbox";
import { SvcError } from "../../contract/errors.ts";
import type { PutRequest } from "../../ports/object-store.ts";
import { documents } from "../sdk/clients.ts";
import type { StoredItem } from "./stored-names.ts";

type Requests = NonNullable<BatchWriteCommandInput["RequestItems"]>;

type Named = Pick<Table, "getName">;
type ItemKey = Record<"pk" | "sk", string>;

const ATTEMPTS = 6;
const FIRST_PAUSE_MS = 25;

/**
 * Writes at most 25 puts in one call. Puts that DynamoDB did not process, because it is throttled, are sent again. Throws `service.busy` if some
 * remain after six attempts.
 */
export async function putBatch(puts: PutRequest[]): Promise<void> {
  let waiting: Requests = Object.fromEntries(
    [...Map.groupBy(puts, ({ table }) => table)].map(([table, of]) => [table, of.map(({ request }) => request)]),
  );
  for (let attempt = 0; Object.keys(waiting).length > 0; attempt += 1) {
    await pauseBefore(attempt);
    const { UnprocessedItems = {} } = await documents().send(new BatchWriteCommand({ RequestItems: waiting }));
    waiting = UnprocessedItems;
  }
}

/** Reads an item, or `undefined` if it is missing. */
export async function getItem(table: Named, key: ItemKey, { consistent = true } = {}): Promise<StoredItem | undefined> {
  return (await documents().send(new GetCommand({ TableName: table.getName(), Key: key, ConsistentRead: consistent }))).Item;
}

/**
 * Reads items by their keys, in calls of at most 100, and returns them in no order. Missing items are left out. Keys that DynamoDB did not process,
 * because it is throttled or the items are large, are read again. Throws `service.busy` if some of a call remain after six attempts.
 */
export async function getBatch(table: Named, keys: readonly ItemKey[], { consistent = true } = {}): Promise<StoredItem[]> {
  const found: StoredItem[] = [];
  for (let start = 0; start < keys.length; start += 100) {
    let waiting: Record<string, unknown>[] = keys.slice(start, start + 100);
    for (let attempt = 0; waiting.length > 0; attempt += 1) {
      await pauseBefore(attempt);
      const name = table.getName();
      const request = { [name]: { Keys: waiting, ConsistentRead: consistent } };
      const { Responses, UnprocessedKeys } = await documents().send(new BatchGetCommand({ RequestItems: request }));
      found.push(...(Responses?.[name] ?? []));
      waiting = UnprocessedKeys?.[name]?.Keys ?? [];
    }
  }
  return found;
}

/** Throws `service.busy` instead of a further attempt. */
async function pauseBefore(attempt: number): Promise<void> {
  if (attempt === ATTEMPTS) throw new SvcError("service.busy", { service: "DynamoDB" });
  if (attempt > 0) await sleep(FIRST_PAUSE_MS * 2 ** attempt);
}
