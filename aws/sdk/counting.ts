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
 * What was counted since the last call. An environment serves one invocation at a time, so that this is the invocation's own, side by side
 * or not; what goes on after an answer is counted with the next one.
 */
export function takeCounts(): AwsCounts {
  const taken = counts;
  counts = none();
  return taken;
}

/** The part of an SDK client that is needed here; the clients' own types of it differ by service and fit none but their own. */
interface Countable {
  middlewareStack: { add(middleware: never, options: never): void };
}
interface Context {
  clientName?: string;
  commandName?: string;
}
type Next<Args, Result> = (args: Args) => Promise<Result>;

const READS = new Set(["GetItem", "BatchGetItem", "Query", "Scan", "TransactGetItems"]);

/**
 * Counts a client's requests, each attempt for itself: a retry is billed too. A presigned URL is no request. DynamoDB is asked for the units
 * of tables and indexes, which costs nothing and a few bytes of each answer; a write whose condition fails is refused without saying its units.
 */
export function counting<C extends Countable>(client: C): C {
  const askForUnits =
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
  client.middlewareStack.add(askForUnits as never, { name: "svcAskForUnits", step: "serialize", priority: "high" } as never);
  client.middlewareStack.add(count as never, { name: "svcCount", step: "deserialize", priority: "high" } as never);
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
