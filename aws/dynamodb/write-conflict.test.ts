import {
  ConditionalCheckFailedException,
  DynamoDBServiceException,
  TransactionCanceledException,
  TransactionConflictException,
} from "@aws-sdk/client-dynamodb";
import { describe, expect, it } from "vitest";
import { classifyRejection, computeMaxPauseMs, executeWrite } from "./write-conflict.ts";

const $metadata = {};
const message = "no";
const canceled = (...codes: string[]) =>
  new TransactionCanceledException({ $metadata, message, CancellationReasons: codes.map((Code) => ({ Code })) });
const conflict = () => new TransactionConflictException({ $metadata, message });
/** The responses of DynamoDB in order; `undefined` for a write that succeeds. */
const answering = (...errors: (Error | undefined)[]) => {
  const calls = { made: 0 };
  const send = async () => {
    const error = errors[calls.made++];
    if (error) throw error;
  };
  return { calls, send };
};

describe("rejected writes", () => {
  it.each([
    ["a single write's condition", new ConditionalCheckFailedException({ $metadata, message }), { kind: "refused", part: 0 }],
    ["a condition in a transaction", canceled("None", "ConditionalCheckFailed"), { kind: "refused", part: 1 }],
    ["a condition beside a collision", canceled("TransactionConflict", "ConditionalCheckFailed"), { kind: "refused", part: 1 }],
    ["a collision of transactions", canceled("None", "TransactionConflict", "None"), { kind: "collided" }],
    ["a throttled transaction", canceled("ThrottlingError", "None"), { kind: "collided" }],
    ["a collision with a transaction", conflict(), { kind: "collided" }],
    ["a collision beside a mistake", canceled("TransactionConflict", "ValidationError"), { kind: "failed" }],
    ["a transaction without reasons", canceled(), { kind: "failed" }],
    [
      "an item that is too large",
      new DynamoDBServiceException({
        $metadata,
        $fault: "client",
        name: "ValidationException",
        message: "Item size has exceeded the maximum allowed size",
      }),
      { kind: "tooLarge" },
    ],
    [
      "an item of a transaction that is too large",
      new TransactionCanceledException({
        $metadata,
        message,
        CancellationReasons: [
          { Code: "None" },
          { Code: "ValidationError", Message: "Item size to update has exceeded the maximum allowed size" },
        ],
      }),
      { kind: "tooLarge" },
    ],
    [
      "a small number in a transaction",
      new TransactionCanceledException({
        $metadata,
        message,
        CancellationReasons: [
          { Code: "ValidationError", Message: "Number underflow. Attempting to store a number with magnitude smaller than" },
        ],
      }),
      { kind: "unstorable" },
    ],
    [
      "a list that is nested too deeply",
      new DynamoDBServiceException({
        $metadata,
        $fault: "client",
        name: "ValidationException",
        message: "Nesting Levels have exceeded supported limits",
      }),
      { kind: "unstorable" },
    ],
    ["a large number", new Error("Number 1e+300 is greater than Number.MAX_SAFE_INTEGER. Use NumberValue"), { kind: "unstorable" }],
    ["something else", new Error("socket hang up"), { kind: "failed" }],
    ["no error at all", "thrown", { kind: "failed" }],
  ])("a rejection for %s is classified", (_what, error, refusal) => expect(classifyRejection(error)).toEqual(refusal));

  it("a write that collides is repeated until it succeeds", async () => {
    const { send, calls } = answering(canceled("TransactionConflict"), conflict(), undefined);
    expect(await executeWrite(send)).toBeUndefined();
    expect(calls.made).toBe(3);
  });

  it("a write that collides is repeated until its condition is false", async () => {
    const { send, calls } = answering(canceled("TransactionConflict", "None"), canceled("None", "ConditionalCheckFailed"));
    expect(await executeWrite(send)).toBe(1);
    expect(calls.made).toBe(2);
  });

  it("a write that collides in every attempt fails with a separate 409", async () => {
    const { send } = answering(...Array.from({ length: 20 }, conflict));
    await expect(executeWrite(send)).rejects.toMatchObject({ code: "write.collided" });
  });

  it("a transaction that is throttled in every attempt does not count as a conflict with other writers", async () => {
    const { send } = answering(...Array.from({ length: 20 }, () => canceled("None", "ThrottlingError")));
    await expect(executeWrite(send)).rejects.toMatchObject({ code: "service.busy" });
  });

  it("a write that fails for another reason is not repeated", async () => {
    const { send, calls } = answering(new Error("socket hang up"));
    await expect(executeWrite(send)).rejects.toThrow("socket hang up");
    expect(calls.made).toBe(1);
  });

  it("the pause grows with each attempt up to a limit", () => {
    expect([1, 2, 3, 4, 5].map(computeMaxPauseMs)).toEqual([20, 40, 80, 160, undefined]);
  });
});
