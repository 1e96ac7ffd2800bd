import * as z from "zod";
import { jobId, jsonObject } from "../../common.ts";
import { defineRoute } from "../../route.ts";
import { amount, outputChunk, runOutcomeSchema } from "./run-outcome.ts";

const attempt = { attempt: z.int().min(1), nonce: z.string().min(1).max(64) };

const atInternalJob = z.object({ id: jobId });
const shared = { method: "POST", fn: "beat", auth: "job", status: 200, params: atInternalJob } as const;

export const internalRoutes = {
  beat: defineRoute({
    ...shared,
    name: "internal.beat",
    summary: "Send a runner's heartbeat: it renews the lease, delivers output, and returns whether to continue.",
    path: "/api/internal/jobs/{id}/beat",
    access: "job",
    audits: "job",
    body: z.object({ ...attempt, logs: outputChunk.optional(), memPeakKb: amount.optional() }),
    reply: { json: z.object({ go: z.enum(["on", "stop"]), reason: z.string().optional(), watched: z.boolean() }) },
    errors: ["job.attemptLost"],
  }),
  check: defineRoute({
    ...shared,
    name: "internal.check",
    summary: "Check the arguments that the preprocessor of a script returned, if the script has `validate_input`.",
    path: "/api/internal/jobs/{id}/check",
    access: "job",
    audits: "job",
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
    audits: "job",
    body: z.object({ ...attempt, outcome: runOutcomeSchema }),
    reply: { text: "Whether the report was accepted." },
    errors: ["job.attemptLost"],
  }),
};
