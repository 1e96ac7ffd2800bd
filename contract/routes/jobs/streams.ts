import * as z from "zod";
import { anyJson, atJob, flag } from "../../common.ts";
import { limits } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { byVersion as atVersion } from "../flows/flow-runs.ts";
import { jobSchema, jobUpdateSchema } from "./job.ts";
import { byHash as atHash, byPath as atPath, payloadQuery, queueLimit } from "./runs.ts";

const pollDelay = { poll_delay_ms: z.coerce.number().int().min(50).max(limits.streamPollMs).optional() };
const runQuery = payloadQuery.extend({ ...pollDelay, ...queueLimit, payload: z.string().optional() });
const updateQuery = z.object({
  ...pollDelay,
  running: flag.optional(),
  log_offset: z.coerce.number().int().min(0).optional(),
  stream_offset: z.coerce.number().int().min(0).optional(),
  get_progress: flag.optional(),
  no_logs: flag.optional(),
  only_result: flag.optional(),
  fast: flag.optional(),
  token: z.string().optional(),
});
export type UpdateStreamQuery = z.output<typeof updateQuery>;

const base = "/api/w/{workspace}";
/** api.md §2.5. */
export const streamEventSchema = z.discriminatedUnion("type", [
  jobUpdateSchema.extend({ type: z.literal("update"), job: jobSchema.optional(), only_result: anyJson.optional() }),
  z.object({ type: z.literal("ping") }),
  z.object({ type: z.literal("timeout") }),
  z.object({ type: z.literal("not_found") }),
  z.object({ type: z.literal("error"), error: z.string() }),
]);
export type StreamEventJson = z.output<typeof streamEventSchema>;
const events = {
  events:
    "Each event is a line `data: <json>`, preceded by a line `id:` that begins with the offset in the stream. After 90 s the last event is `timeout`: send the id as `Last-Event-ID` to continue. After the last event of a run, the reply to its id is 204.",
  event: streamEventSchema,
};
const runErrors = [
  "job.idTaken",
  "idempotency.key",
  "idempotency.reused",
  "payload.base64",
  "body.notJson",
  "queue.full",
  "stream.tooMany",
  "stream.runUnknown",
] as const;

const byPath = {
  path: `${base}/jobs/run_and_stream/p/{path+}`,
  fn: "stream",
  auth: "token",
  params: atPath,
  query: runQuery,
  payload: true,
  status: 200,
  reply: events,
  errors: [...runErrors, "script.notFound", "run.arguments"],
} as const;
const byHash = {
  ...byPath,
  path: `${base}/jobs/run_and_stream/h/{hash}`,
  params: atHash,
  errors: [...runErrors, "script.versionNotFound", "run.arguments"],
} as const;
const flowByPath = {
  ...byPath,
  path: `${base}/jobs/run_and_stream/f/{path+}`,
  errors: [...runErrors, "flow.notFound", "run.arguments"],
} as const;
const flowByVersion = {
  ...byPath,
  path: `${base}/jobs/run_and_stream/fv/{version}`,
  params: atVersion,
  errors: [...runErrors, "flow.versionNotFound", "run.arguments"],
} as const;
const updates = {
  fn: "stream",
  auth: "token",
  method: "GET",
  params: atJob,
  query: updateQuery,
  status: 200,
  reply: events,
  errors: ["job.notFound", "stream.tooMany"],
} as const;

const runScript = { domain: "jobs", verb: "run", runs: "scripts", need: "run", target: "path", hiddenAs: "script.notFound" } as const;
const runScriptVersion = {
  domain: "jobs",
  verb: "run",
  runs: "scripts",
  need: "run",
  target: "version",
  hiddenAs: "script.versionNotFound",
} as const;
const runFlow = { domain: "jobs", verb: "run", runs: "flows", need: "run", target: "path", hiddenAs: "flow.notFound" } as const;
const runFlowVersion = {
  domain: "jobs",
  verb: "run",
  runs: "flows",
  need: "run",
  target: "version",
  hiddenAs: "flow.versionNotFound",
} as const;
const readJob = { domain: "jobs", verb: "read", need: "read", target: "job" } as const;

export const streamRoutes = {
  streamScriptByPath: defineRoute({
    ...byPath,
    name: "jobs.runStream.scripts",
    summary: "Run the newest version of a script and return its stream as events.",
    access: runScript,
    method: "POST",
  }),
  streamScriptByPathGet: defineRoute({
    ...byPath,
    name: "jobs.runStream.scripts.get",
    summary: "The same, with the arguments as base64-encoded JSON in the query.",
    access: runScript,
    method: "GET",
  }),
  streamScriptByHash: defineRoute({
    ...byHash,
    name: "jobs.runStream.versions",
    summary: "Run an exact version of a script and return its stream as events.",
    access: runScriptVersion,
    method: "POST",
  }),
  streamScriptByHashGet: defineRoute({
    ...byHash,
    name: "jobs.runStream.versions.get",
    summary: "The same, with the arguments as base64-encoded JSON in the query.",
    access: runScriptVersion,
    method: "GET",
  }),
  streamFlowByPath: defineRoute({
    ...flowByPath,
    name: "jobs.runStream.flows",
    summary: "Run the newest version of a flow and return the stream of its last step as events.",
    access: runFlow,
    method: "POST",
  }),
  streamFlowByPathGet: defineRoute({
    ...flowByPath,
    name: "jobs.runStream.flows.get",
    summary: "The same, with the arguments as base64-encoded JSON in the query.",
    access: runFlow,
    method: "GET",
  }),
  streamFlowByVersion: defineRoute({
    ...flowByVersion,
    name: "jobs.runStream.fv",
    summary: "Run an exact version of a flow and return the stream of its last step as events.",
    access: runFlowVersion,
    method: "POST",
  }),
  streamFlowByVersionGet: defineRoute({
    ...flowByVersion,
    name: "jobs.runStream.fv.get",
    summary: "The same, with the arguments as base64-encoded JSON in the query.",
    access: runFlowVersion,
    method: "GET",
  }),
  updateStream: defineRoute({
    ...updates,
    name: "jobs.updateStream",
    summary: "Stream the updates of a job as events until it ends.",
    path: `${base}/jobs_u/getupdate_sse/{id}`,
    access: readJob,
  }),
  /** The path in the specification (§4.5). */
  updateStreamAlias: defineRoute({
    ...updates,
    name: "jobs.updateStream.alias",
    summary: "The same as jobs_u/getupdate_sse.",
    path: `${base}/job_u/getupdate_sse/{id}`,
    access: readJob,
  }),
};
