import * as z from "zod";
import { extraPerms, jsonObject, runnablePath, timestamp, versionHash } from "../../common.ts";
import { scriptLanguageSchema } from "../../languages.ts";
import { limits } from "../../limits.ts";

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
      "Runs with the same key in the folder are counted together, or in the one with which the key begins: `f/shared/…`. `$workspace` and `$args[name]` are replaced. Default: the script.",
    ),
  debounce_key: z.string().nullish(),
  debounce_delay_s: z.int32().nullish(),
  debounce_args_to_accumulate: z.array(z.string()).nullish(),
  max_total_debouncing_time: z.int32().nullish(),
  max_total_debounces_amount: z.int32().nullish(),
  /** In seconds. 0: no cache. */
  cache_ttl: z.int32().min(0).nullish(),
  cache_ignore_s3_path: z.boolean().nullish(),
  validate_input: z
    .boolean()
    .nullish()
    .describe("Refuses runs whose arguments do not match `schema`, or the schema that is inferred from the code if there is none."),
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
  labels: z.array(z.string().max(100)).max(50).nullish(),
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

/** A script of a list, without its content unless it is requested. */
export const listedScriptSchema = scriptSchema.partial({ content: true }).extend({ deployment_msg: z.string().optional() });
export type ListedScriptJson = z.input<typeof listedScriptSchema>;

const counter = z.int().min(0);
/** The number of triggers of a script by their kind. */
export const triggerCountsSchema = z.object({
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

/** A version in the history of a script. */
export const historyItem = z.object({
  script_hash: versionHash,
  deployment_msg: z.string().optional(),
  created_at: timestamp.optional(),
  created_by: z.string().optional(),
});
export type HistoryItemJson = z.input<typeof historyItem>;
