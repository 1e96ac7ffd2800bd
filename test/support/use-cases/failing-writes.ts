import { AsyncLocalStorage } from "node:async_hooks";
import { documents, s3, sqs } from "../../../aws/sdk/clients.ts";

/** The moment of a fault: `before` the write reaches AWS, or `after` it was applied and before its caller receives the response. */
type Moment = "before" | "after";
/** `error`: one call fails and the process continues. `death`: no later call of the process reaches AWS either. */
type Kind = "error" | "death";
export interface Fault {
  /** The n-th write, counted from 1. */
  write: number;
  moment: Moment;
  kind: Kind;
}

class InjectedFault extends Error {
  override readonly name = "InjectedFault";
}

const WRITES = new Set([
  "PutItem",
  "UpdateItem",
  "DeleteItem",
  "BatchWriteItem",
  "TransactWriteItems",
  "PutObject",
  "CopyObject",
  "DeleteObject",
  "CreateMultipartUpload",
  "CompleteMultipartUpload",
  "AbortMultipartUpload",
  "SendMessage",
  "SendMessageBatch",
]);

/** A simulated process. */
interface PlayedProcess {
  fault: Fault | undefined;
  isDead: boolean;
  writes: string[];
  /** The number of its latest write, unless it has called a runner since. */
  latest?: number | undefined;
  /** The writes whose process had made the write before them, and had called no runner in between. */
  following?: Set<number>;
  /** Is called before and after each write is applied. */
  onChange?: () => void;
}
/** Work that is unfinished when its process has died belongs to that process, whichever fault follows. */
const played = new AsyncLocalStorage<PlayedProcess>();

/**
 * Counts a write and applies it, unless the fault of this process is due here. Calls of other services that a test records pass through here as
 * well.
 */
export async function countWrite<T>(operation: string, apply: () => Promise<T>): Promise<T> {
  const current = played.getStore();
  if (!current) return apply();
  refuseIfDead(current, operation);
  const { fault, writes, onChange } = current;
  writes.push(operation);
  if (current.latest === writes.length - 1) current.following?.add(writes.length);
  current.latest = writes.length;
  onChange?.();
  const applyAndTell = () => apply().finally(onChange);
  if (writes.length !== fault?.write) return applyAndTell();
  if (fault.kind === "death") current.isDead = true;
  if (fault.moment === "after") await applyAndTell().catch(() => undefined);
  throw new InjectedFault(`write ${writes.length}, ${operation}, ${fault.moment}`);
}

/** Applies a call that writes nothing, unless its process is dead. */
export async function countRead<T>(operation: string, apply: () => Promise<T>): Promise<T> {
  const current = played.getStore();
  if (current) refuseIfDead(current, operation);
  if (current && operation === "Invoke") current.latest = undefined;
  return apply();
}

function refuseIfDead({ isDead }: PlayedProcess, operation: string): void {
  if (isDead) throw new InjectedFault(`${operation} after the process had died`);
}

/** Runs `work` as a separate process with the fault. Returns the observed writes and the outcome of the work. */
export async function withFault<T>(
  fault: Fault | undefined,
  work: () => Promise<T>,
): Promise<{ writes: string[]; following: ReadonlySet<number>; ended: PromiseSettledResult<T> }> {
  const following = new Set<number>();
  const process: PlayedProcess = { fault, isDead: false, writes: [], following };
  const [ended] = await played.run(process, () => Promise.allSettled([work()]));
  return { writes: process.writes, following, ended };
}

/** Whether a process that dies before this write leaves what it leaves if it dies after its write before that one. */
const isDeathAfterTheLastWrite = ({ write, moment, kind }: Fault, following: ReadonlySet<number>) =>
  kind === "death" && moment === "before" && following.has(write);

/**
 * Several processes whose writes are counted together, so that a fault can occur at any of their writes. `play` runs one of them and rejects when
 * it has died, even if its work has survived every failed call.
 */
export function processesWithFault(fault: Fault | undefined, onChange: () => void) {
  const writes: string[] = [];
  const following = new Set<number>();
  const play = async <T>(work: () => Promise<T>): Promise<T> => {
    const process: PlayedProcess = { fault, isDead: false, writes, following, onChange };
    const result = await played.run(process, work);
    if (process.isDead) throw new InjectedFault("The process has died.");
    return result;
  };
  return { writes, play, listDeaths: () => listFaults(writes.length, ["death"], following) };
}

/** Lists the faults of each write that differ. */
function listFaults(writes: number, kinds: readonly Kind[], following: ReadonlySet<number>): Fault[] {
  return Array.from({ length: writes }, (_, index) => index + 1).flatMap((write) =>
    (["before", "after"] as const)
      .flatMap((moment) => kinds.map((kind): Fault => ({ write, moment, kind })))
      .filter((fault) => !isDeathAfterTheLastWrite(fault, following)),
  );
}

interface Context {
  commandName?: string;
}
/** The required part of any SDK client; each client's own type accepts only that client. */
interface Injectable {
  middlewareStack: { add(middleware: never, options: never): void };
}
/** The middleware precedes the SDK's retries, so that a fault is final. */
for (const client of [documents(), s3(), sqs()] as Injectable[]) {
  const inject =
    (next: (args: unknown) => Promise<unknown>, { commandName = "" }: Context) =>
    (args: unknown) => {
      const operation = commandName.replace(/Command$/, "");
      return (WRITES.has(operation) ? countWrite : countRead)(operation, () => next(args));
    };
  client.middlewareStack.add(inject as never, { name: "svcInjectFaults", step: "initialize", priority: "low" } as never);
}

/** The invariant of one use case, whichever of its writes fails. */
export interface FaultScenario {
  /** Calls the use case. */
  act: () => Promise<unknown>;
  /** The recovery after a fault: the call is repeated, or housekeeping runs. It is not called after a run without a fault. */
  recover: () => Promise<unknown>;
  /** Throws if the invariant is violated. */
  check: () => Promise<void>;
}

/**
 * Runs a scenario once without a fault, then once for each of its writes, each moment and each kind of fault, always on fresh data. A death that
 * leaves the same state as another one is simulated once. Throws one error that lists each fault after which the invariant is violated. Returns
 * the number of writes.
 */
export async function expectToSurviveFaults(
  make: () => Promise<FaultScenario>,
  { kinds = ["error", "death"] }: { kinds?: readonly Fault["kind"][] } = {},
): Promise<number> {
  const plain = await make();
  const { writes, following, ended } = await withFault(undefined, plain.act);
  if (ended.status === "rejected") throw ended.reason;
  await plain.check();
  const failures: string[] = [];
  for (const fault of listFaults(writes.length, kinds, following)) {
    const scenario = await make();
    const { writes: before } = await withFault(fault, scenario.act);
    try {
      await scenario.recover();
      await scenario.check();
    } catch (error) {
      const { kind, moment, write } = fault;
      failures.push(`${kind} ${moment} write ${write} of ${before.join(", ")}: ${(error as Error).message}`);
    }
  }
  if (failures.length > 0) throw new Error(`The invariant did not hold after ${failures.length} faults:\n${failures.join("\n")}`);
  return writes.length;
}
