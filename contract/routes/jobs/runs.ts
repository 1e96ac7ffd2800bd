import * as z from "zod";
import { actions } from "../../access/actions.ts";
import { anyJson, anyPath, flag, inWorkspace, jobId, jsonObject, newJobId, timestamp, versionHash, workspaceId } from "../../common.ts";
import { scriptLanguageSchema } from "../../languages.ts";
import { limits } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { tempScriptRefs } from "../stored/temp-scripts.ts";
import { deliveryField, deliveryTtlS } from "../triggers/delivery-rule.ts";

/** Names, separated by commas. */
export const nameList = z
  .string()
  .max(4000)
  .transform((text) =>
    text
      .split(",")
      .map((name) => name.trim())
      .filter(Boolean),
  );

export const runQuery = z.object({
  job_id: newJobId.optional(),
  parent_job: jobId.optional(),
  root_job: jobId.optional(),
  scheduled_in_secs: z.coerce.number().int().min(0).max(limits.maxDelayS).optional(),
  scheduled_for: timestamp
    .refine((at) => Date.parse(at) - Date.now() <= limits.maxDelayS * 1000, `must be at most ${limits.maxDelayS / 86_400} days from now`)
    .optional(),
  tag: z.string().max(50).optional(),
  token: z.string().optional(),
  skip_preprocessor: flag.optional(),
  // Showing the run without an error would break the caller's assumption.
  invisible_to_owner: flag
    .optional()
    .refine((hidden) => hidden !== true, "runs cannot be hidden from those who may see the script or flow: omit this parameter"),
});
export const payloadQuery = runQuery.extend({
  include_header: nameList.optional(),
  include_query: nameList.optional(),
  raw: flag.optional(),
  wrap_body: flag.optional(),
  /** The field that identifies a delivery, and the time in seconds for which it is recognised. A repeated one gets the first answer. */
  idempotency_from: deliveryField.optional(),
  idempotency_ttl: deliveryTtlS.optional(),
  cache_ttl: z.coerce
    .number()
    .int()
    .min(0)
    .max(limits.jobRetentionMs / 1000)
    .optional(),
});
/** Synchronous callers may reject a queue that is too long. */
export const queueLimit = { queue_limit: z.coerce.number().int().min(0).optional() };
export const waitQuery = payloadQuery.extend(queueLimit);
export type PayloadQuery = z.output<typeof payloadQuery>;
export const getQuery = waitQuery.extend({ payload: z.string().optional() });
export type RunQuery = z.output<typeof runQuery>;

export const previewSchema = z.object({
  content: z.string().max(limits.scriptBytes),
  language: scriptLanguageSchema,
  args: jsonObject.optional(),
  path: z.string().max(250).optional(),
  tag: z.string().max(50).optional(),
  lock: z.string().optional(),
  kind: z.enum(["code", "identity", "http"]).optional(),
  dedicated_worker: z.boolean().optional(),
  temp_script_refs: tempScriptRefs.nullish(),
});
/** Arguments in a separate field. */
const inlineSchema = z.object({ args: jsonObject.optional() });
export type Preview = z.output<typeof previewSchema>;
/** A preview of a bundle, which is a separate part of the form. The source is only shown, and read for the names of its parameters. */
export const bundlePreviewSchema = previewSchema.extend({
  content: previewSchema.shape.content.default(""),
  kind: z.enum(["bundle", "tarbundle"]),
  format: z.enum(["cjs", "esm"]).optional(),
});
export type BundlePreview = z.output<typeof bundlePreviewSchema>;
const previewQuery = runQuery.extend({ timeout: z.coerce.number().int().min(1).max(limits.maxTimeoutS).optional() });
export type PreviewQuery = z.output<typeof previewQuery>;

const inputTransform = z.discriminatedUnion("type", [
  z.object({ type: z.literal("static"), value: anyJson.optional() }),
  z.object({ type: z.literal("javascript"), expr: z.string().max(10_000) }),
]);
export type InputTransform = z.output<typeof inputTransform>;
const rerunOptions = z.record(
  z.string(),
  z.object({ input_transforms: z.record(z.string(), inputTransform).optional(), use_latest_version: z.boolean().optional() }),
);
const rerunSchema = z.object({
  job_ids: z.array(jobId).max(limits.rerunJobs),
  script_options_by_path: rerunOptions.default({}),
  flow_options_by_path: rerunOptions.default({}),
});
export type Rerun = z.output<typeof rerunSchema>;

export const byPath = z.object({ workspace: workspaceId, path: anyPath });
export const byHash = z.object({ workspace: workspaceId, hash: versionHash });
export const accepted = { text: "The id of the job." };
export const result = { json: anyJson };
export const runErrors = ["job.idTaken", "idempotency.key", "idempotency.reused"] as const;
export const waitErrors = [...runErrors, "job.syncTimeout", "job.erased", "reply.shape", "queue.full"] as const;
export const getErrors = [...waitErrors, "payload.base64", "body.notJson"] as const;
const base = "/api/w/{workspace}/jobs";

const runScriptVersion = {
  domain: "jobs",
  verb: "run",
  runs: "scripts",
  need: "run",
  target: "version",
  hiddenAs: "script.versionNotFound",
} as const;
const runPreview = actions.runPreview.access;
const runScript = { domain: "jobs", verb: "run", runs: "scripts", need: "run", target: "path", hiddenAs: "script.notFound" } as const;

export const runRoutes = {
  runScriptByPath: defineRoute({
    name: "jobs.run.scripts",
    summary: "Run the newest version of a script and return the id of its job immediately.",
    method: "POST",
    path: `${base}/run/p/{path+}`,
    access: actions.runScript.access,
    fn: "run",
    auth: "token",
    params: byPath,
    query: payloadQuery,
    payload: true,
    status: 201,
    reply: accepted,
    errors: [...runErrors, "script.notFound", "run.arguments"],
  }),
  runScriptByHash: defineRoute({
    name: "jobs.run.versions",
    summary: "Run an exact version of a script and return the id of its job immediately.",
    method: "POST",
    path: `${base}/run/h/{hash}`,
    access: runScriptVersion,
    fn: "run",
    auth: "token",
    params: byHash,
    query: payloadQuery,
    payload: true,
    status: 201,
    reply: accepted,
    errors: [...runErrors, "script.versionNotFound", "run.arguments"],
  }),
  runPreview: defineRoute({
    name: "jobs.run.preview",
    summary: "Run code that is not stored and return the id of its job immediately.",
    method: "POST",
    path: `${base}/run/preview`,
    access: runPreview,
    fn: "run",
    auth: "token",
    params: inWorkspace,
    query: previewQuery,
    body: previewSchema,
    status: 201,
    reply: accepted,
    errors: runErrors,
  }),
  runPreviewBundle: defineRoute({
    name: "jobs.run.previewBundle",
    summary:
      "Run a bundle that is not stored and return the id of its job immediately: a form with the preview as JSON in `preview`, and in `file` one JavaScript file or, for the kind `tarbundle`, a tar archive with `main.js`.",
    method: "POST",
    path: `${base}/run/preview_bundle`,
    access: runPreview,
    fn: "run",
    auth: "token",
    params: inWorkspace,
    query: previewQuery,
    payload: true,
    status: 201,
    reply: accepted,
    errors: [...runErrors, "body.notJson", "body.shape", "payload.form", "bundle.language", "bundle.invalid"],
  }),
  runWaitScriptByPath: defineRoute({
    name: "jobs.runWait.scripts",
    summary: "Run the newest version of a script and return its result.",
    method: "POST",
    path: `${base}/run_wait_result/p/{path+}`,
    access: runScript,
    fn: "run",
    auth: "token",
    params: byPath,
    query: waitQuery,
    payload: true,
    status: 200,
    reply: result,
    errors: [...waitErrors, "script.notFound", "run.arguments"],
  }),
  runWaitScriptByHash: defineRoute({
    name: "jobs.runWait.versions",
    summary: "Run an exact version of a script and return its result.",
    method: "POST",
    path: `${base}/run_wait_result/h/{hash}`,
    access: runScriptVersion,
    fn: "run",
    auth: "token",
    params: byHash,
    query: waitQuery,
    payload: true,
    status: 200,
    reply: result,
    errors: [...waitErrors, "script.versionNotFound", "run.arguments"],
  }),
  runWaitScriptByPathGet: defineRoute({
    name: "jobs.runWait.scripts.get",
    summary: "Run the newest version of a script with its arguments as base64-encoded JSON in the query, and return its result.",
    method: "GET",
    path: `${base}/run_wait_result/p/{path+}`,
    access: runScript,
    fn: "run",
    auth: "token",
    params: byPath,
    query: getQuery,
    payload: true,
    status: 200,
    reply: result,
    errors: [...getErrors, "script.notFound", "run.arguments"],
  }),
  runWaitScriptByHashGet: defineRoute({
    name: "jobs.runWait.versions.get",
    summary: "Run an exact version of a script with its arguments as base64-encoded JSON in the query, and return its result.",
    method: "GET",
    path: `${base}/run_wait_result/h/{hash}`,
    access: runScriptVersion,
    fn: "run",
    auth: "token",
    params: byHash,
    query: getQuery,
    payload: true,
    status: 200,
    reply: result,
    errors: [...getErrors, "script.versionNotFound", "run.arguments"],
  }),
  runWaitPreview: defineRoute({
    name: "jobs.runWait.preview",
    summary: "Run code that is not stored and return its result.",
    method: "POST",
    path: `${base}/run_wait_result/preview`,
    access: runPreview,
    fn: "run",
    auth: "token",
    params: inWorkspace,
    query: previewQuery.extend(queueLimit),
    body: previewSchema,
    status: 200,
    reply: result,
    errors: waitErrors,
  }),
  runInlineByPath: defineRoute({
    name: "jobs.runInline.scripts",
    summary: "Run the newest version of a script with the arguments in `args` and return its result.",
    method: "POST",
    path: `${base}/run_inline/p/{path+}`,
    access: runScript,
    fn: "run",
    auth: "token",
    params: byPath,
    body: inlineSchema,
    status: 200,
    reply: result,
    errors: [...waitErrors, "script.notFound", "run.arguments"],
  }),
  runInlineByHash: defineRoute({
    name: "jobs.runInline.versions",
    summary: "Run an exact version of a script with the arguments in `args` and return its result.",
    method: "POST",
    path: `${base}/run_inline/h/{hash}`,
    access: runScriptVersion,
    fn: "run",
    auth: "token",
    params: byHash,
    body: inlineSchema,
    status: 200,
    reply: result,
    errors: [...waitErrors, "script.versionNotFound", "run.arguments"],
  }),
  runInlinePreview: defineRoute({
    name: "jobs.runInline.preview",
    summary: "Run code that is not stored and return its result.",
    method: "POST",
    path: `${base}/run_inline/preview`,
    access: runPreview,
    fn: "run",
    auth: "token",
    params: inWorkspace,
    query: previewQuery.extend(queueLimit),
    body: previewSchema,
    status: 200,
    reply: result,
    errors: waitErrors,
  }),
  rerunJobs: defineRoute({
    name: "jobs.rerun",
    summary: "Run ended or waiting jobs again, with the same version and arguments or with the options of each path.",
    method: "POST",
    path: `${base}/run/batch_rerun_jobs`,
    access: actions.rerunJobs.access,
    fn: "run",
    auth: "token",
    params: inWorkspace,
    body: rerunSchema,
    status: 201,
    reply: { text: "One line for each job, in the order sent: the id of the new job, or `Error: …`." },
    errors: ["idempotency.key"],
  }),
};
