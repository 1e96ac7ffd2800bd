import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { SvcError } from "../../contract/errors.ts";
import { classifyAwsError, toBusyError } from "../sdk/aws-errors.ts";

/** The meaning of DynamoDB's rejection of a write. `refused`: the condition of that part of a transaction is false (0 for a single write). */
export type Refusal =
  | { kind: "refused"; part: number }
  | { kind: "collided" }
  | { kind: "tooLarge" }
  | { kind: "unstorable" }
  | { kind: "failed" };

/** Another write changed the same item at the same time. Nothing was written. */
const COLLISIONS = new Set(["TransactionConflictException", "TransactionInProgressException"]);
/** Temporary reasons for a cancelled transaction. The SDK does not retry them. */
const PASSING = new Set(["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"]);

/** The faults of an item that a caller can correct. */
const TOO_LARGE = /item size/i;
/** Numbers and lists of a caller, such as the arguments of a schedule, may be beyond what a table holds. The client refuses some, and DynamoDB the others. */
const UNSTORABLE = /number (over|under)flow|significant digits|nesting levels|MAX_SAFE_INTEGER|MIN_SAFE_INTEGER/i;
const ITEM_BYTES = 400 * 1024;
const UNSTORABLE_REASON = "no table can store one of its numbers, or it is nested too deeply to be stored";

/** Classifies DynamoDB's rejection of a write. */
export function classifyRejection(error: unknown): Refusal {
  if (!(error instanceof Error)) return { kind: "failed" };
  if (error.name === "ConditionalCheckFailedException") return { kind: "refused", part: 0 };
  if (COLLISIONS.has(error.name)) return { kind: "collided" };
  if (error.name === "ValidationException" && TOO_LARGE.test(error.message)) return { kind: "tooLarge" };
  if (["ValidationException", "Error"].includes(error.name) && UNSTORABLE.test(error.message)) return { kind: "unstorable" };
  if (error.name !== "TransactionCanceledException") return { kind: "failed" };
  const { CancellationReasons = [] } = error as { CancellationReasons?: { Code?: string; Message?: string }[] };
  const reasons = CancellationReasons.map(({ Code = "None" }) => Code);
  // A false condition takes precedence, because another attempt would not change it.
  const part = reasons.indexOf("ConditionalCheckFailed");
  if (part >= 0) return { kind: "refused", part };
  if (CancellationReasons.some(({ Message = "" }) => TOO_LARGE.test(Message))) return { kind: "tooLarge" };
  if (CancellationReasons.some(({ Message = "" }) => UNSTORABLE.test(Message))) return { kind: "unstorable" };
  const causes = reasons.filter((reason) => reason !== "None");
  return { kind: causes.length > 0 && causes.every((reason) => PASSING.has(reason)) ? "collided" : "failed" };
}

const ATTEMPTS = 5;
const FIRST_PAUSE_MS = 20;

/** Returns the longest pause before another attempt in milliseconds, doubled each time, or `undefined` after the last attempt. */
export function computeMaxPauseMs(attempt: number): number | undefined {
  return attempt < ATTEMPTS ? FIRST_PAUSE_MS * 2 ** (attempt - 1) : undefined;
}

/**
 * Executes one write. Returns the part whose condition is false, or `undefined` if everything was written. A write that collides with
 * another is repeated after a random pause. Throws `write.collided` if every attempt collides, `service.busy` if DynamoDB throttles every attempt,
 * `body.tooLarge` if the item is too large for DynamoDB, and `body.number` for a number or a depth that it cannot store.
 */
export async function executeWrite(send: () => Promise<unknown>): Promise<number | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await send();
      return undefined;
    } catch (error) {
      const refusal = classifyRejection(error);
      if (refusal.kind === "refused") return refusal.part;
      if (refusal.kind === "tooLarge")
        throw new SvcError("body.tooLarge", { limitBytes: ITEM_BYTES, what: "object to be stored" }, { cause: error });
      if (refusal.kind === "unstorable") throw new SvcError("body.number", { reason: UNSTORABLE_REASON }, { cause: error });
      if (refusal.kind === "failed") throw error;
      const pauseMs = computeMaxPauseMs(attempt);
      if (pauseMs === undefined)
        throw classifyAwsError(error) ? toBusyError(error, "DynamoDB") : new SvcError("write.collided", {}, { cause: error });
      await sleep(randomInt(pauseMs + 1));
    }
  }
}
