import { randomUUID } from "node:crypto";
import { isJsonObject } from "../../../contract/json/json-object.ts";
import { runnerLanguages, type ScriptLanguage } from "../../../contract/languages.ts";
import { fieldsOf, type SyncItem } from "../../../core/sync/item.ts";

const folder = "f/full";

/** Sources without packages, of which other services lock the empty list of packages. */
const sources: Readonly<Partial<Record<ScriptLanguage, string>>> = {
  python3: "def main(x: str):\n    return x\n",
  go: "package inner\n\nfunc main(x string) (string, error) {\n\treturn x, nil\n}\n",
  bash: 'echo "$1"\n',
};
const locks: Readonly<Partial<Record<ScriptLanguage, string>>> = {
  python3: "# py: 3.12\n",
  go: "module mymod\n\ngo 1.25.0\n//go.sum\n",
  bash: "# no packages\n",
};
const TYPESCRIPT = "export async function main(x: string) {\n  return x;\n}\n";
const EMPTY_LOCK = '{\n  "dependencies": {}\n}\n//bun.lock\n<empty>\n';

/** A script of each language with a lock that names no package. */
const lockedScripts = runnerLanguages.map(
  (language): SyncItem => ({
    kind: "script",
    path: `${folder}/lock_${language}`,
    language,
    content: sources[language] ?? TYPESCRIPT,
    value: { summary: `Lock of ${language}`, description: "", lock: locks[language] ?? EMPTY_LOCK, kind: "script" },
  }),
);

const schema = { type: "object", properties: { x: { type: "string", description: "The text." } }, required: ["x"] };
const retry = { constant: { attempts: 2, seconds: 5 } };
const labels = ["team", "nightly"];
const SCRIPT = `${folder}/handler`;
const commonTriggerFields = {
  ...{ script_path: SCRIPT, is_flow: false, mode: "disabled", labels, error_handler_path: SCRIPT, error_handler_args: { a: 1 }, retry },
  extra_perms: { "g/all": true },
};

/** A workspace that gets the items: its only member, and a queue that it may read. */
export interface EveryFieldWorkspace {
  id: string;
  username: string;
  email: string;
  queueUrl: string;
}

/** Returns each kind of item with every field that its author sets. A test compares the fields with those of the API. */
export const itemsWithEveryField = ({ id, username: user, email, queueUrl }: EveryFieldWorkspace): SyncItem[] => [
  {
    kind: "folder",
    path: "full",
    value: {
      ...{ summary: "Full", display_name: "Everything", owners: [`u/${user}`], extra_perms: { "g/all": false }, labels },
      default_permissioned_as: [{ path_glob: "jobs/**", permissioned_as: `u/${user}` }],
    },
  },
  {
    kind: "resource_type",
    path: "full_type",
    value: { schema, description: "A type", display_name: "Type" },
  },
  {
    kind: "variable",
    path: `${folder}/variable`,
    value: { value: "v", is_secret: false, description: "A value", labels, extra_perms: { "g/all": true } },
  },
  {
    kind: "resource",
    path: `${folder}/resource`,
    value: {
      value: { x: "1", list: [1, null] },
      resource_type: "full_type",
      description: "A thing",
      labels,
      extra_perms: { "g/all": true },
    },
  },
  { kind: "resource", path: `${folder}/key`, value: { value: { key: "k" }, resource_type: "api_key_auth" } },
  {
    kind: "script",
    path: SCRIPT,
    language: "bun",
    content: TYPESCRIPT,
    value: {
      ...{ summary: "Every field", description: "Text\nof two lines", schema, lock: EMPTY_LOCK, kind: "failure", is_template: true },
      ...{ tag: "bun", envs: ["A=1"], concurrent_limit: 5, concurrency_time_window_s: 60, concurrency_key: "k" },
      ...{ debounce_key: "d", debounce_delay_s: 1, debounce_args_to_accumulate: ["x"] },
      ...{ max_total_debouncing_time: 10, max_total_debounces_amount: 3, cache_ttl: 60, cache_ignore_s3_path: true },
      ...{ idempotent_webhook_id: true, dedicated_worker: true, ws_error_handler_muted: true, priority: 3 },
      ...{ restart_unless_cancelled: true, timeout: 30, delete_after_secs: 60, visible_to_runner_only: true },
      ...{ validate_input: true, has_preprocessor: true, labels, extra_perms: { "g/all": true }, auto_kind: "kind" },
      modules: { "helper.ts": { content: "export const a = 1;\n", language: "bun", lock: EMPTY_LOCK } },
    },
  },
  ...lockedScripts,
  {
    kind: "flow",
    path: `${folder}/flow`,
    value: {
      ...{ summary: "Every field", description: "Text", schema, tag: "bun", ws_error_handler_muted: true, priority: 2 },
      ...{
        dedicated_worker: true,
        timeout: 300,
        visible_to_runner_only: true,
        validate_input: true,
        labels,
        extra_perms: { "g/all": true },
      },
      value: {
        modules: [
          {
            ...{ id: "a", summary: "Add one", priority: 1, cache_ttl: 5, cache_ignore_s3_path: true, delete_after_secs: 5 },
            ...{ stop_after_if: { expr: "false", skip_if_stopped: true }, skip_if: { expr: "false" }, timeout: 20 },
            ...{ sleep: { type: "static", value: 0 }, mock: { enabled: false, return_value: 1 }, continue_on_error: true, retry },
            ...{ suspend: { required_events: 1, timeout: 60, resume_form: { schema } } },
            value: {
              ...{ type: "rawscript", content: TYPESCRIPT, language: "bun", lock: EMPTY_LOCK, tag: "bun", concurrent_limit: 2 },
              ...{ concurrency_time_window_s: 5, custom_concurrency_key: "c", is_trigger: false, assets: [] },
              input_transforms: { x: { type: "javascript", expr: "flow_input.x" } },
            },
          },
          {
            id: "b",
            value: { type: "rawscript", content: sources.python3, language: "python3", lock: locks.python3, input_transforms: {} },
          },
        ],
        failure_module: { id: "failure", value: { type: "script", path: SCRIPT, input_transforms: {} } },
        ...{ same_worker: false, concurrent_limit: 2, concurrency_key: "c", concurrency_time_window_s: 5, skip_expr: "false" },
        ...{ cache_ttl: 5, cache_ignore_s3_path: true, delete_after_secs: 60, flow_env: { A: "1" }, priority: 2 },
        ...{ early_return: "a", chat_input_enabled: true },
      },
    },
  },
  {
    kind: "app",
    path: `${folder}/app`,
    value: {
      summary: "Every field",
      value: { grid: [{ id: "a", data: { name: "Save", inlineScript: { content: TYPESCRIPT, language: "bun", lock: EMPTY_LOCK } } }] },
      policy: { execution_mode: "anonymous" },
      custom_path: `full-${randomUUID()}`,
      labels,
      extra_perms: { "g/all": true },
    },
  },
  {
    kind: "schedule",
    path: `${folder}/schedule`,
    value: {
      ...{ summary: "Every field", description: "Text", schedule: "0 0 3 * * *", timezone: "Europe/Berlin", enabled: false },
      ...{ script_path: SCRIPT, is_flow: false, args: { x: "1" }, on_failure: `script/${SCRIPT}`, on_failure_times: 2 },
      ...{ on_failure_exact: true, on_failure_extra_args: { a: 1 }, on_recovery: `script/${SCRIPT}`, on_recovery_times: 2 },
      ...{ on_recovery_extra_args: { a: 1 }, on_success: `flow/${folder}/flow`, on_success_extra_args: { a: 1 }, retry, labels },
      ...{ ws_error_handler_muted: true, no_flow_overlap: true, tag: "bun", paused_until: "2040-01-01T00:00:00Z" },
      ...{ cron_version: "v2", dynamic_skip: SCRIPT, extra_perms: { "g/all": true } },
    },
  },
  {
    kind: "http_trigger",
    path: `${folder}/route`,
    value: {
      ...commonTriggerFields,
      ...{ route_path: "full/:id", http_method: "post", request_type: "async", authentication_method: "api_key" },
      ...{ authentication_resource_path: `${folder}/key`, is_static_website: false, workspaced_route: true, wrap_body: true },
      ...{ raw_string: true, allowed_origins: ["https://example.com"], summary: "Every field", description: "Text" },
      ...{ failed_status: 502, idempotency: { from: "header:x-delivery", ttl: 600 } },
    },
  },
  {
    kind: "sqs_trigger",
    path: `${folder}/queue`,
    value: {
      ...commonTriggerFields,
      ...{ queue_url: queueUrl, aws_auth_resource_type: "credentials", aws_resource_path: "", message_attributes: ["priority"] },
    },
  },
  {
    kind: "email_trigger",
    path: `${folder}/mail`,
    value: { ...commonTriggerFields, local_part: "full", workspaced_local_part: true },
  },
  {
    kind: "group",
    path: "full",
    value: { summary: "Every field", admins: [`u/${user}`], members: ["u/every_field"] },
  },
  { kind: "user", path: email, value: { username: user, role: "admin", disabled: false } },
  { kind: "user", path: `every-field-${id}@example.com`, value: { username: "every_field", role: "operator", disabled: true } },
  { kind: "encryption_key", path: "encryption_key", value: "k".repeat(64) },
  { kind: "dependencies", path: "full.package.json", value: '{ "dependencies": {} }\n' },
  { kind: "dependencies", path: "full.requirements.in", value: "# no packages\n" },
  { kind: "dependencies", path: "full.go.mod", value: "module mymod\n\ngo 1.25.0\n" },
  {
    kind: "settings",
    path: "settings",
    value: {
      ...{ name: id, color: "#00ff00", webhook: "https://hooks.example.com/svc", events: ["DeleteFolder"] },
      auto_invite: { enabled: true, domain: "*", operator: true, mode: "invite" },
      large_file_storage: { type: "stack" },
      approvals: { every_get_counts: true },
      failed_runs: { status: 502 },
      error_handler: { path: `script/${SCRIPT}`, extra_args: { a: 1 }, muted_on_cancel: true, muted_on_user_path: true },
      success_handler: { path: `script/${SCRIPT}`, extra_args: { a: 1 } },
      failure_notices: { rules: [{ path: `${folder}/*`, email: ["role:admin"], topic: true, on_recovery: true }] },
      ...{ default_app: `${folder}/app`, default_scripts: { order: ["bun"] }, git_sync: { repositories: [] } },
      ...{ slack_command_script: SCRIPT, operator_settings: { runs: true }, datatable: { datatables: {} } },
      ...{ mute_critical_alerts: true, deploy_ui: { include_path: ["f/**"] } },
    },
  },
];

/** Triggers of a topic, a bus and a bucket. Only the command line of svc has them. `topic`: its ARN. */
export const awsTriggersWithEveryField = (topic: string): SyncItem[] => [
  {
    kind: "aws_trigger",
    path: `${folder}/topic`,
    value: { ...commonTriggerFields, source: "sns", topic_arn: topic, filter_policy: { priority: ["high"] } },
  },
  {
    kind: "aws_trigger",
    path: `${folder}/bus`,
    value: { ...commonTriggerFields, source: "eventbridge", event_pattern: { source: ["shop"] }, bus: "default" },
  },
  {
    kind: "aws_trigger",
    path: `${folder}/bucket`,
    value: {
      ...commonTriggerFields,
      ...{ source: "s3", bucket: "incoming", prefix: "in/", suffix: ".csv", events: ["Object Created"] },
    },
  },
];

/** Fields that the registry's command line never sends, by kind. */
const unsent: Readonly<Record<string, readonly string[]>> = {
  script: ["auto_kind", "idempotent_webhook_id", "is_template", "validate_input"],
  resource: ["extra_perms"],
  schedule: ["extra_perms"],
  http_trigger: ["failed_status", "idempotency", "extra_perms"],
  sqs_trigger: ["extra_perms"],
  email_trigger: ["extra_perms"],
  settings: ["events", "approvals", "failed_runs", "failure_notices", "deploy_ui"],
};

/** Returns the items as the registry's command line keeps them in files. It has no scripts for Node.js, and marks what runs as a user. */
export const itemsOfRegistryCli = (items: readonly SyncItem[]): SyncItem[] =>
  items
    .filter(({ language }) => language !== "nodejs")
    .map((item) => {
      if (!isJsonObject(item.value)) return item;
      const marked = item.kind === "schedule" || item.kind.endsWith("_trigger") ? { has_permissioned_as: true } : {};
      const sent = Object.entries(fieldsOf(item)).filter(([name]) => !unsent[item.kind]?.includes(name));
      return { ...item, value: { ...Object.fromEntries(sent), ...marked } };
    });
