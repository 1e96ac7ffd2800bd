import { setTimeout as sleep } from "node:timers/promises";
import {
  type BatchGetCommand as BatchGetItemsCommand,
  BatchWriteCommand,
  type BatchWriteCommandInput,
  type DynamoDBDocumentClient,
} from "@aws-sdk/lib-dynamodb";
import { type BatchGetCommand, executeBatchGet } from "dynamodb-toolbox";
import { SvcError } from "../../contract/errors.ts";
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
 * Writes at most 25 puts in one call. Puts that DynamoDB did not process, because it is throttled, are sent again. Throws `service.busy` if some
 * remain after six attempts.
 */
export async function putBatch(puts: PutRequest[]): Promise<void> {
  let waiting: Requests = Object.fromEntries(
    [...Map.groupBy(puts, ({ table }) => table)].map(([table, of]) => [table, of.map(({ request }) => request)]),
  );
  for (let attempt = 0; Object.keys(waiting).length > 0; attempt += 1) {
    if (attempt === ATTEMPTS) throw new SvcError("service.busy", { service: "DynamoDB" });
    if (attempt > 0) await sleep(FIRST_PAUSE_MS * 2 ** attempt);
    const { UnprocessedItems = {} } = await documents().send(new BatchWriteCommand({ RequestItems: waiting }));
    waiting = UnprocessedItems;
  }
}

/** The client, with a pause before each further call: a call for the keys that the call before it left out. */
function pausingClient(): DynamoDBDocumentClient {
  let calls = 0;
  const send = async (command: BatchGetItemsCommand) => {
    if (calls > 0) await sleep(FIRST_PAUSE_MS * 2 ** calls);
    calls += 1;
    return documents().send(command);
  };
  return { send } as unknown as DynamoDBDocumentClient;
}

/**
 * Reads at most 100 items, with undefined for each missing item. Keys that DynamoDB did not process, because it is throttled or the items are
 * large, are read again. Throws `service.busy` if some remain after six attempts: the library would return them as missing.
 */
export async function getBatch(command: BatchGetCommand): Promise<unknown[]> {
  const { Responses, UnprocessedKeys = {} } = await executeBatchGet({ maxAttempts: ATTEMPTS, documentClient: pausingClient() }, command);
  if (Object.keys(UnprocessedKeys).length > 0) throw new SvcError("service.busy", { service: "DynamoDB" });
  return (Responses?.[0] ?? []) as unknown[];
}
