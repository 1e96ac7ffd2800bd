import { setTimeout as sleep } from "node:timers/promises";
import { BatchGetCommand, BatchWriteCommand, type BatchWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { SvcError } from "../../contract/errors.ts";
import { documents } from "../sdk/clients.ts";
import type { StoredItem } from "./stored-names.ts";

type Requests = NonNullable<BatchWriteCommandInput["RequestItems"]>;

/** One unconditional put and its table. */
export interface PutRequest {
  table: string;
  request: Requests[string][number];
}

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

/**
 * Reads the items with at most 100 keys of a table, in no order. Missing items are left out. Keys that DynamoDB did not process, because it is
 * throttled or the items are large, are read again. Throws `service.busy` if some remain after six attempts.
 */
export async function getBatch(table: string, keys: Record<"pk" | "sk", string>[], { consistent = true } = {}): Promise<StoredItem[]> {
  const found: StoredItem[] = [];
  let waiting: Record<string, unknown>[] = keys;
  for (let attempt = 0; waiting.length > 0; attempt += 1) {
    await pauseBefore(attempt);
    const request = { [table]: { Keys: waiting, ConsistentRead: consistent } };
    const { Responses, UnprocessedKeys } = await documents().send(new BatchGetCommand({ RequestItems: request }));
    found.push(...(Responses?.[table] ?? []));
    waiting = UnprocessedKeys?.[table]?.Keys ?? [];
  }
  return found;
}

/** Throws `service.busy` instead of a further attempt. */
async function pauseBefore(attempt: number): Promise<void> {
  if (attempt === ATTEMPTS) throw new SvcError("service.busy", { service: "DynamoDB" });
  if (attempt > 0) await sleep(FIRST_PAUSE_MS * 2 ** attempt);
}
