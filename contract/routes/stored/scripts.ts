import * as z from "zod";
import { actions } from "../../access/actions.ts";
import {
  anyPath,
  atHash,
  atPath,
  extraPerms,
  flag,
  inWorkspace,
  jobId,
  jsonObject,
  page,
  runnablePath,
  timestamp,
  versionHash,
} from "../../common.ts";
import { scriptLanguageSchema } from "../../languages.ts";
import { limits } from "../../limits.ts";
import { defineRoute } from "../../route.ts";
import { truncatedTokenSchema } from "../people/tokens.ts";

const scriptKindSchema = z.enum(["script", "failure", "trigger", "command", "approval", "preprocessor"]);

/** The fields that a caller sets, preserved exactly as sent (api.md §3.1). */
const settable = {
  path: runnablePath,
  summary: z.string().max(1000),
  description: z.string().max(20_000).default(""),
  content: z.string(),
  language: scriptLanguageSchema,
  schema: jsonObject.nullish(),
  is_template: z.boolean().nullish(),
  lock: z.string().nullish(),
  kind: scriptKindSchema.nullish(),
  tag: z.string().max(50).nullish(),
  draft_only: z.boolean().nullish(),
  envs: z.array(z.string()).nullish(),
  concurrent_limit: z
    .int()
    .min(0)
    .max(limits.concurrentLimit)
    .nullish()
    .describe(
      "Maximum number of simultaneous runs with the same concurrency key. Other runs wait in the order of their creation. 0: no limit.",
    ),
  concurrency_time_window_s: z
    .int()
    .min(0)
    .max(limits.concurrencyWindowS)
    .nullish()
    .describe("Window in seconds: within it, no more runs than the limit start."),
  concurrency_key: z
    .string()
    .max(limits.concurrencyKeyChars)
    .nullish()
    .describe(
      "Runs with the same key in the workspace are counted together. `$workspace` and `$args[name]` are replaced. Default: the script.",
    ),
  debounce_key: z.string().nullish(),
  debounce_delay_s: z.int32().nullish(),
  debounce_args_to_accumulate: z.array(z.string()).nullish(),
  max_total_debouncing_time: z.int32().nullish(),
  max_total_debounces_amount: z.int32().nullish(),
  /** In seconds. 0: no cache. */
  cache_ttl: z.int32().min(0).nullish(),
  cache_ignore_s3_path: z.boolean().nullish(),
  /** Extension of svc: calls with the same header `webhook-id` start one job. */
  idempotent_webhook_id: z.boolean().nullish(),
  dedicated_worker: z.boolean().nullish(),
  ws_error_handler_muted: z.boolean().nullish(),
  priority: z.int().min(0).max(100).nullish().describe("With a priority above 0, its runs do not queue behind those of other scripts."),
  restart_unless_cancelled: z.boolean().nullish(),
  timeout: z.number().int().min(1).max(limits.maxTimeoutS, `a script may run for at most ${limits.maxTimeoutS} s`).nullish(),
  delete_after_secs: z.number().int().min(0).nullish(),
  visible_to_runner_only: z.boolean().nullish(),
  auto_kind: z.string().nullish(),
  codebase: z.string().nullish(),
  has_preprocessor: z.boolean().nullish(),
  on_behalf_of_email: z.string().nullish(),
  on_behalf_of: z.string().nullish(),
  modules: z.record(z.string(), z.object({ content: z.string(), language: scriptLanguageSchema, lock: z.string().nullish() })).nullish(),
  labels: z.array(z.string()).nullish(),
  assets: z.array(z.unknown()).nullish(),
};
export const newScriptSchema = z.object({
  ...settable,
  parent_hash: versionHash.nullish(),
  auto_parent: z.boolean().nullish(),
  deployment_message: z.string().max(1000).nullish(),
  preserve_on_behalf_of: z.boolean().nullish(),
  skip_draft_deletion: z.boolean().nullish(),
});
export type NewScript = z.output<typeof newScriptSchema>;

export const scriptSchema = z.object({
  ...settable,
  /** Stored paths are trusted, because `path` was checked when it was saved. */
  path: z.string(),
  description: z.string(),
  timeout: z.number().nullish(),
  workspace_id: z.string(),
  hash: versionHash,
  parent_hashes: z.array(versionHash).optional(),
  created_by: z.string(),
  created_at: timestamp,
  archived: z.boolean(),
  deleted: z.boolean(),
  is_template: z.boolean(),
  extra_perms: extraPerms,
  lock_error_logs: z.string().optional(),
  kind: scriptKindSchema,
  starred: z.boolean(),
  has_preprocessor: z.boolean(),
  ws_error_handler_muted: z.boolean(),
  /** Extension of svc: the schema inferred from the code, in addition to the one that was sent. */
  inferred_schema: jsonObject.optional(),
});
export type ScriptJson = z.input<typeof scriptSchema>;

/** The maximum number of parents in a version. */
export const MAX_PARENTS = 100;

const listedScriptSchema = scriptSchema.partial({ content: true }).extend({ deployment_msg: z.string().optional() });
export type ListedScriptJson = z.input<typeof listedScriptSchema>;

const counter = z.int().min(0);
const triggerCountsSchema = z.object({
  schedule_count: counter,
  http_routes_count: counter,
  webhook_count: counter,
  email_count: counter,
  default_email_count: counter,
  websocket_count: counter,
  postgres_count: counter,
  kafka_count: counter,
  nats_count: counter,
  mqtt_count: counter,
  amqp_count: counter,
  sqs_count: counter,
  gcp_count: counter,
  azure_count: counter,
});
export type TriggerCountsJson = z.input<typeof triggerCountsSchema>;

const historyItem = z.object({
  script_hash: versionHash,
  deployment_msg: z.string().optional(),
  created_at: timestamp.optional(),
  created_by: z.string().optional(),
});
export type HistoryItemJson = z.input<typeof historyItem>;

const w = "/api/w/{workspace}/scripts";
const read = { method: "GET", fn: "objects", auth: "token", status: 200 } as const;
const post = { method: "POST", fn: "objects", auth: "token", status: 200 } as const;
const createErrors = [
  "body.notJson",
  "body.shape",
  "script.pathTaken",
  "script.parentUnknown",
  "script.parentHasChild",
  "script.changedMeanwhile",
  "script.tooLarge",
  "path.noFolder",
  "workspace.notFound",
  "script.notOnBehalf",
  "user.notFound",
] as const;
const hashText = { text: "The hash of the new version." };

export const scriptListQuery = z.object({
  ...page,
  order_desc: flag.optional(),
  created_by: z.string().optional(),
  path_start: z.string().optional(),
  path_exact: z.string().optional(),
  first_parent_hash: versionHash.optional().describe("Only scripts whose newest version has this version as its parent."),
  last_parent_hash: versionHash
    .optional()
    .describe(`Only scripts whose oldest known parent is this version. The last ${MAX_PARENTS} parents are known.`),
  parent_hash: versionHash.optional().describe(`Only scripts that have this version among their last ${MAX_PARENTS} parents.`),
  show_archived: flag.optional(),
  include_without_main: flag
    .optional()
    .describe("Has no effect: scripts without a main function are always listed, because other scripts may import them."),
  include_draft_only: flag.optional().describe("Has no effect: every stored version is deployed, even if it was sent with draft_only."),
  is_template: flag.optional(),
  kinds: z.string().optional(),
  starred_only: flag.optional().describe("Returns an empty list, because starring is not supported yet."),
  languages: z.string().optional(),
  without_description: flag.optional(),
  with_deployment_msg: flag.optional().describe("Adds the deployment message of the newest version."),
  label: z.string().optional(),
});
export type ScriptListQuery = z.output<typeof scriptListQuery>;

const listAll = { domain: "scripts", verb: "read", need: "read", target: "list" } as const;
const readVersion = { domain: "scripts", verb: "read", need: "read", target: "version", hiddenAs: "script.versionNotFound" } as const;
const readPath = { domain: "scripts", verb: "read", need: "read", target: "path", hiddenAs: "script.notFound" } as const;
const writePath = { domain: "scripts", verb: "write", need: "write", target: "path", hiddenAs: "script.notFound" } as const;
const writeVersion = { domain: "scripts", verb: "write", need: "write", target: "version", hiddenAs: "script.versionNotFound" } as const;

export const scriptRoutes = {
  createScript: defineRoute({
    ...post,
    name: "scripts.create",
    summary: "Save a new version of a script.",
    path: `${w}/create`,
    access: { domain: "scripts", verb: "write", need: "write", target: "request" },
    params: inWorkspace,
    query: z.object({ skip_if_noop: flag.optional() }),
    body: newScriptSchema,
    status: 201,
    reply: hashText,
    errors: createErrors,
  }),
  updateScript: defineRoute({
    ...post,
    name: "scripts.update",
    summary: "Save a new version of the script at this path, with its newest version as the parent.",
    path: `${w}/update/{path+}`,
    access: actions.saveScript.access,
    params: atPath,
    body: newScriptSchema,
    reply: hashText,
    errors: [...createErrors, "script.notFound"],
  }),
  listScripts: defineRoute({
    ...read,
    name: "scripts.list",
    summary: "List the newest version of each script, without its content.",
    path: `${w}/list`,
    access: listAll,
    params: inWorkspace,
    query: scriptListQuery,
    reply: { json: z.array(listedScriptSchema) },
    errors: [],
  }),
  listScriptPaths: defineRoute({
    ...read,
    name: "scripts.listPaths",
    summary: "List the paths of all scripts.",
    path: `${w}/list_paths`,
    access: listAll,
    params: inWorkspace,
    reply: { json: z.array(z.string()) },
    errors: [],
  }),
  searchScripts: defineRoute({
    ...read,
    name: "scripts.listSearch",
    summary: "List every script with its content, to search in it.",
    path: `${w}/list_search`,
    access: listAll,
    params: inWorkspace,
    reply: { json: z.array(z.object({ path: z.string(), content: z.string() })) },
    errors: [],
  }),
  getScriptByPath: defineRoute({
    ...read,
    name: "scripts.getByPath",
    summary: "Get the newest version at a path.",
    path: `${w}/get/p/{path+}`,
    access: actions.readScript.access,
    params: atPath,
    reply: { json: scriptSchema },
    errors: ["script.notFound"],
  }),
  getScriptByHash: defineRoute({
    ...read,
    name: "scripts.getByHash",
    summary: "Get an exact version.",
    path: `${w}/get/h/{hash}`,
    access: readVersion,
    params: atHash,
    reply: { json: scriptSchema },
    errors: ["script.versionNotFound"],
  }),
  rawScriptByPath: defineRoute({
    ...read,
    name: "scripts.rawByPath",
    summary: "Get the source of the newest version. The path may have a file extension.",
    path: `${w}/raw/p/{path+}`,
    access: readPath,
    params: atPath,
    reply: { text: "The source." },
    errors: ["script.notFound"],
  }),
  rawScriptByHash: defineRoute({
    ...read,
    name: "scripts.rawByHash",
    summary: "Get the source of an exact version. The hash may have a file extension.",
    path: `${w}/raw/h/{path+}`,
    access: readVersion,
    params: atPath,
    reply: { text: "The source." },
    errors: ["script.versionNotFound"],
  }),
  existsScript: defineRoute({
    ...read,
    name: "scripts.exists",
    summary: "Check whether there is a script at a path.",
    path: `${w}/exists/p/{path+}`,
    access: { domain: "scripts", verb: "read", need: "read", target: "path", hiddenAs: false },
    params: atPath,
    reply: { json: z.boolean() },
    errors: [],
  }),
  scriptHistory: defineRoute({
    ...read,
    name: "scripts.history",
    summary: "List the versions saved at a path, newest first.",
    path: `${w}/history/p/{path+}`,
    access: readPath,
    params: atPath,
    reply: { json: z.array(historyItem) },
    errors: ["script.notFound"],
  }),
  updateScriptHistory: defineRoute({
    ...post,
    name: "scripts.updateHistory",
    summary: "Change the deployment message of a version.",
    path: `${w}/history_update/h/{hash}/p/{script_path+}`,
    access: writeVersion,
    params: atHash.extend({ script_path: anyPath }),
    body: z.object({ deployment_msg: z.string().max(1000).nullish() }),
    reply: { text: "A confirmation." },
    errors: ["script.versionNotFound", "script.changedMeanwhile"],
  }),
  latestVersion: defineRoute({
    ...read,
    name: "scripts.latestVersion",
    summary: "Get the history entry of the newest version.",
    path: `${w}/get_latest_version/{path+}`,
    access: readPath,
    params: atPath,
    reply: { json: historyItem },
    errors: ["script.notFound"],
  }),
  deploymentStatus: defineRoute({
    ...read,
    name: "scripts.deploymentStatus",
    summary: "Get the deployment status of a version.",
    path: `${w}/deployment_status/h/{hash}`,
    access: readVersion,
    params: atHash,
    reply: { json: z.object({ lock: z.string().optional(), lock_error_logs: z.string().optional(), job_id: jobId.optional() }) },
    errors: ["script.versionNotFound"],
  }),
  scriptWebhooks: defineRoute({
    ...read,
    name: "scripts.webhooks",
    summary: "List every URL that runs this script, each with a curl command.",
    path: `${w}/webhooks/p/{path+}`,
    access: readPath,
    params: atPath,
    reply: { json: z.array(z.object({ kind: z.string(), method: z.string(), url: z.string(), curl: z.string() })) },
    errors: ["script.notFound"],
  }),
  listScriptTokens: defineRoute({
    ...read,
    name: "scripts.listTokens",
    summary: "List your tokens that have a scope to run this script by its path, without their values.",
    path: `${w}/list_tokens/{path+}`,
    access: readPath,
    params: atPath,
    reply: { json: z.array(truncatedTokenSchema) },
    errors: ["script.notFound"],
  }),
  countScriptTriggers: defineRoute({
    ...read,
    name: "scripts.countTriggers",
    summary: "Count what starts this script. Only webhooks exist: your tokens that have a scope to run it count as these.",
    path: `${w}/get_triggers_count/{path+}`,
    access: readPath,
    params: atPath,
    reply: { json: triggerCountsSchema },
    errors: ["script.notFound"],
  }),
  muteScriptErrorHandler: defineRoute({
    ...post,
    name: "scripts.muteErrorHandler",
    summary: "Set whether the workspace's error handler ignores failures of the newest version at a path.",
    path: `${w}/toggle_workspace_error_handler/p/{path+}`,
    access: writePath,
    params: atPath,
    body: z.object({ muted: z.boolean().nullish() }),
    reply: { text: "A confirmation." },
    errors: ["script.notFound", "script.changedMeanwhile"],
  }),
  archiveScriptByPath: defineRoute({
    ...post,
    name: "scripts.archiveByPath",
    summary: "Archive a script. It can no longer be run by its path, but its versions remain.",
    path: `${w}/archive/p/{path+}`,
    access: writePath,
    params: atPath,
    reply: { text: "A confirmation." },
    errors: ["script.notFound", "script.changedMeanwhile"],
  }),
  archiveScriptByHash: defineRoute({
    ...post,
    name: "scripts.archiveByHash",
    summary: "Archive the script that has this version as its newest one.",
    path: `${w}/archive/h/{hash}`,
    access: writeVersion,
    params: atHash,
    reply: { json: scriptSchema },
    errors: ["script.versionNotFound", "script.notFound", "script.changedMeanwhile"],
  }),
  deleteScriptByPath: defineRoute({
    ...post,
    name: "scripts.deleteByPath",
    summary: "Delete a script with all its versions.",
    path: `${w}/delete/p/{path+}`,
    access: writePath,
    params: atPath,
    reply: { text: "The path." },
    errors: ["script.notFound", "script.changedMeanwhile"],
  }),
  deleteScriptByHash: defineRoute({
    ...post,
    name: "scripts.deleteByHash",
    summary: "Erase the content of a version. If it is the newest version, its path becomes free.",
    path: `${w}/delete/h/{hash}`,
    access: writeVersion,
    params: atHash,
    reply: { json: scriptSchema },
    errors: ["script.versionNotFound", "script.notFound", "script.changedMeanwhile"],
  }),
};
