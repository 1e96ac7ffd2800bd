import { toCanonicalJson } from "../../contract/json/canonical-json.ts";
import { findKind } from "../../contract/kinds/kinds.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The fields that the service adds to every trigger. */
const trigger: Fields = { mode: "enabled" };

/** Values that are equivalent to an absent field, by kind of item. The service or a client may add them. */
const defaults: Readonly<Record<string, Fields>> = {
  script: {
    ...{ summary: "", description: "", lock: "", kind: "script", is_template: false, ws_error_handler_muted: false },
    ...{ no_main_func: false, visible_to_runner_only: false, validate_input: false },
  },
  flow: { summary: "", description: "", ws_error_handler_muted: false, visible_to_runner_only: false, validate_input: false },
  app: { custom_path: "", labels: [] },
  variable: { description: "", labels: [] },
  resource: { description: "", labels: [] },
  resource_type: { description: "", display_name: "", schema: {}, is_fileset: false },
  folder: { summary: "", display_name: "", labels: [], default_permissioned_as: [] },
  group: { summary: "", admins: [], members: [] },
  user: { disabled: false },
  settings: {
    ...{ approvals: { every_get_counts: false }, failed_runs: { status: 200 }, failure_notices: { rules: [] } },
    ...{ webhook: "", mute_critical_alerts: false },
  },
  schedule: { enabled: true, args: {} },
  http_trigger: {
    ...trigger,
    ...{ request_type: "sync", authentication_method: "none", authentication_resource_path: "", is_static_website: false },
    ...{ workspaced_route: false, wrap_body: false, raw_string: false },
  },
  sqs_trigger: { ...trigger, aws_auth_resource_type: "credentials", aws_resource_path: "" },
  email_trigger: { ...trigger, workspaced_local_part: false },
};

const defaultsOf = (kind: string): Fields => defaults[kind] ?? (kind.endsWith("_trigger") ? trigger : {});

/** Returns whether a value of a field is equivalent to its absence. */
export function isDefault(kind: string, name: string, value: unknown): boolean {
  const kindDefaults = defaultsOf(kind);
  return Object.hasOwn(kindDefaults, name) && toCanonicalJson(kindDefaults[name]) === toCanonicalJson(value);
}

/** Returns the value that removes a field from an item of the service. */
export function emptyValueOf(kind: string, name: string): unknown {
  const kindDefaults = defaultsOf(kind);
  return Object.hasOwn(kindDefaults, name) ? kindDefaults[name] : null;
}

/** Returns the fields that a file may leave to the workspace: without them, a push changes nothing. */
export function openFieldsOf(kind: string): readonly string[] {
  if (kind === "script") return ["lock", "extra_perms"];
  if (kind === "folder") return ["owners", "extra_perms"];
  return findKind(kind)?.isShared ? ["extra_perms"] : [];
}
