import { setTimeout as sleep } from "node:timers/promises";
import { BatchWriteCommand, type BatchWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { documents } from "../sdk/clients.ts";

type Requests = NonNullable<BatchWriteCommandInput["RequestItems"]>;

/** One unconditional put and its table. */
export interface PutRequest {
  table: string;
  request: Requests[string][number];
}

const ATTEMPTS = 6;
const FIRST_PAUSE_MS = 25;

/**
 * Writes at most 25 puts in one call. Puts that DynamoDB did not process are sent again. Throws an error if some remain after six attempts.
 */
export async function putBatch(puts: PutRequest[]): Promise<void> {
  let waiting: Requests = Object.fromEntries(
    [...Map.groupBy(puts, ({ table }) => table)].map(([table, of]) => [table, of.map(({ request }) => request)]),
  );
  for (let attempt = 0; Object.keys(waiting).length > 0; attempt += 1) {
    if (attempt === ATTEMPTS) throw new Error("DynamoDB did not process all puts of a batch.");
    if (attempt > 0) await sleep(FIRST_PAUSE_MS * 2 ** attempt);
    const { UnprocessedItems = {} } = await documents().send(new BatchWriteCommand({ RequestItems: waiting }));
    waiting = UnprocessedItems;
  }
}
