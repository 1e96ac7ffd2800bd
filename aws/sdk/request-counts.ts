import { addMiddleware, type ClientWithMiddleware } from "./add-middleware.ts";

/** The AWS requests of an invocation by `service.Operation`, and the units that DynamoDB bills for them. */
export interface AwsCounts {
  requests: Record<string, number>;
  readUnits: number;
  /** Billed units of tables and of their indexes. */
  writeUnits: number;
  indexWriteUnits: number;
}

let counts = none();

function none(): AwsCounts {
  return { requests: {}, readUnits: 0, writeUnits: 0, indexWriteUnits: 0 };
}

/**
 * Returns the counts since the last call and resets them. An environment serves one invocation at a time, so the counts belong to that
 * invocation. Requests after its response count for the next one.
 */
export function takeCounts(): AwsCounts {
  const taken = counts;
  counts = none();
  return taken;
}

interface Context {
  clientName?: string;
  commandName?: string;
}
type Next<Args, Result> = (args: Args) => Promise<Result>;

const READS = new Set(["GetItem", "BatchGetItem", "Query", "Scan", "TransactGetItems"]);

/**
 * Counts the requests of a client. Each attempt counts, because a retry is billed too; a presigned URL is not a request. The units of
 * DynamoDB are requested for tables and indexes, which is free. A write whose condition is false reports no units.
 */
export function countRequests<C extends ClientWithMiddleware>(client: C): C {
  const requestUnits =
    (next: Next<{ input: object }, unknown>, { clientName }: Context) =>
    (args: { input: object }) =>
      next(clientName === "DynamoDBClient" ? { ...args, input: { ...args.input, ReturnConsumedCapacity: "INDEXES" } } : args);
  const count =
    (next: Next<unknown, { output: object }>, { clientName = "", commandName = "" }: Context) =>
    async (args: unknown) => {
      const operation = commandName.replace(/Command$/, "");
      const name = `${clientName.replace(/Client$/, "").toLowerCase()}.${operation}`;
      counts.requests[name] = (counts.requests[name] ?? 0) + 1;
      const answer = await next(args);
      for (const consumed of consumedBy(answer.output)) addUnits(consumed, READS.has(operation));
      return answer;
    };
  addMiddleware(client, { name: "svcAskForUnits", step: "serialize", priority: "high" }, requestUnits);
  addMiddleware(client, { name: "svcCount", step: "deserialize", priority: "high" }, count);
  return client;
}

interface Consumed {
  CapacityUnits?: number;
  GlobalSecondaryIndexes?: Record<string, { CapacityUnits?: number }>;
}

/** A batch or a transaction returns a list with one entry for each table. */
function consumedBy(output: { ConsumedCapacity?: Consumed | Consumed[] }): Consumed[] {
  return [output.ConsumedCapacity ?? []].flat();
}

function addUnits({ CapacityUnits = 0, GlobalSecondaryIndexes = {} }: Consumed, read: boolean): void {
  if (read) {
    counts.readUnits += CapacityUnits;
    return;
  }
  const ofIndexes = Object.values(GlobalSecondaryIndexes).reduce((sum, index) => sum + (index.CapacityUnits ?? 0), 0);
  counts.indexWriteUnits += ofIndexes;
  counts.writeUnits += CapacityUnits - ofIndexes;
}
