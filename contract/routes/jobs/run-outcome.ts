import * as z from "zod";
import { anyNumber } from "../../common.ts";

/** A whole number of bytes, characters or milliseconds: a table can store it, and its sum with another one is still exact. */
export const amount = z
  .int()
  .min(0)
  .max(2 ** 50);
export const outputChunk = z.object({ offset: amount, text: z.string() });

/** The fields of the outcome of each run. */
const runFields = {
  outcome: z.enum(["success", "failure", "timeout", "killed"]),
  result: z.unknown().optional(),
  resultUploaded: z.object({ bytes: amount }).optional(),
  error: z
    .object({
      name: z.string(),
      message: z.string(),
      stack: z.string().optional(),
      exit_code: anyNumber.optional(),
      signal: z.string().optional(),
      reply: z.record(z.string(), z.unknown()).optional(),
    })
    .optional(),
  preprocessed: z.record(z.string(), z.unknown()).optional(),
  logs: outputChunk,
  memPeakKb: amount.optional(),
  timings: z.object({ setupMs: anyNumber, runMs: anyNumber, totalMs: anyNumber, freshHost: z.boolean() }),
};

/** Mirrors `RunOutcome` in runners/protocol.ts, except for `problem` and `next`. The data of a runner is as untrusted as the code that it ran. */
export const runOutcomeSchema = z.object({
  ...runFields,
  shared: z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in hex"), bytes: amount }).optional(),
});

/** The answer of a runner to its caller. */
export const runnerAnswerSchema = runOutcomeSchema.extend({
  problem: z.string().optional(),
  next: z.array(z.object({ ...runFields, startedAtMs: amount, endedAtMs: amount })).optional(),
});
