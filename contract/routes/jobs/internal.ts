import * as z from "zod";
import { anyNumber, jobId, jsonObject } from "../../common.ts";
import { defineRoute } from "../../route.ts";

const attempt = { attempt: z.int().min(1), nonce: z.string().min(1).max(64) };
/** A whole number of bytes or characters: a table can store it, and its sum with another one is still exact. */
const amount = z
  .int()
  .min(0)
  .max(2 ** 50);
const logs = z.object({ offset: amount, text: z.string() });

/** Mirrors `RunOutcome` in runners/protocol.ts. The data of a runner is as untrusted as the code that it ran. */
const runOutcomeSchema = z.object({
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
    })
    .optional(),
  shared: z.object({ sha256: z.string(), bytes: amount }).optional(),
  preprocessed: z.record(z.string(), z.unknown()).optional(),
  logs,
  memPeakKb: amount.optional(),
  timings: z.object({ setupMs: anyNumber, runMs: anyNumber, totalMs: anyNumber, freshHost: z.boolean() }),
});

const atInternalJob = z.object({ id: jobId });
const shared = { method: "POST", fn: "beat", auth: "job", status: 200, params: atInternalJob } as const;

export const internalRoutes = {
  beat: defineRoute({
    ...shared,
    name: "internal.beat",
    summary: "Send a runner's heartbeat: it renews the lease, delivers output, and returns whether to continue.",
    path: "/api/internal/jobs/{id}/beat",
    access: "job",
    body: z.object({ ...attempt, logs: logs.optional(), memPeakKb: amount.optional() }),
    reply: { json: z.object({ go: z.enum(["on", "stop"]), reason: z.string().optional(), watched: z.boolean() }) },
    errors: ["job.attemptLost"],
  }),
  check: defineRoute({
    ...shared,
    name: "internal.check",
    summary: "Check the arguments that the preprocessor of a script returned, if the script has `validate_input`.",
    path: "/api/internal/jobs/{id}/check",
    access: "job",
    body: z.object({ args: jsonObject }),
    reply: { json: z.object({ problem: z.string().optional() }) },
    errors: ["job.attemptLost", "script.versionNotFound"],
  }),
  report: defineRoute({
    ...shared,
    name: "internal.report",
    summary: "Report the outcome of a run from its runner.",
    path: "/api/internal/jobs/{id}/report",
    access: "job",
    body: z.object({ ...attempt, outcome: runOutcomeSchema }),
    reply: { text: "Whether the report was accepted." },
    errors: ["job.attemptLost"],
  }),
};
