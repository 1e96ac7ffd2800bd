import { isDeepStrictEqual } from "node:util";
import { isJsonObject } from "../../../contract/json-object.ts";
import { fieldsOf, type SyncItem } from "../../../core/sync/item.ts";
import type { ApiClient } from "../../api/client.ts";
import { createOrUpdate } from "../../api/routes.ts";

const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** Adds a member of the workspace or changes the role of one. */
export async function saveUser(client: ApiClient, item: SyncItem, before: SyncItem | undefined): Promise<void> {
  const { username, role, disabled } = fieldsOf(item);
  const rights = { is_admin: role === "admin", operator: role === "operator" };
  if (before) {
    await client.post(`users/update/${encodeURIComponent(String(fieldsOf(before)["username"]))}`, {
      ...rights,
      disabled: disabled === true,
    });
    return;
  }
  await client.post("workspaces/add_user", { email: item.path, username, ...rights });
  if (disabled === true) await client.post(`users/update/${encodeURIComponent(String(username))}`, { disabled });
}

/** Creates or changes a group with its members and administrators. Each step may be repeated. */
export async function saveGroup(client: ApiClient, item: SyncItem, before: SyncItem | undefined): Promise<void> {
  const name = encodeURIComponent(item.path);
  const { summary } = fieldsOf(item);
  const create = { name: item.path, summary };
  await createOrUpdate(client, { kind: "group", path: item.path, create, update: { summary }, exists: before !== undefined });
  const current = await client.get<{ members?: string[]; extra_perms?: Record<string, boolean> }>(`groups/get/${name}`);
  const admins = listOf(fieldsOf(item)["admins"]);
  const members = new Set(
    [...admins, ...listOf(fieldsOf(item)["members"])].filter((one) => one.startsWith("u/")).map((one) => one.slice(2)),
  );
  for (const username of members) if (!current.members?.includes(username)) await client.post(`groups/adduser/${name}`, { username });
  for (const username of current.members ?? []) if (!members.has(username)) await client.post(`groups/removeuser/${name}`, { username });
  const granted = Object.entries(current.extra_perms ?? {}).flatMap(([owner, write]) => (write ? [owner] : []));
  for (const owner of admins) if (!granted.includes(owner)) await client.post(`acls/add/group_/${name}`, { owner, write: true });
  for (const owner of granted) if (!admins.includes(owner)) await client.post(`acls/remove/group_/${name}`, { owner });
}

const toWebhook = ({ webhook, events }: Settings): Settings => (webhook ? { webhook, events: events ?? null } : {});

type Settings = Readonly<Record<string, unknown>>;
type SettingRoute = (value: unknown, wanted: Settings) => [route: string, body: unknown];

/** The route that changes each setting, and its body. A setting that is absent is removed. */
const settingRoutes: Readonly<Record<string, SettingRoute>> = {
  webhook: (_, wanted) => ["edit_webhook", toWebhook(wanted)],
  events: (_, wanted) => ["edit_webhook", toWebhook(wanted)],
  auto_invite: (value) => ["edit_auto_invite", toAutoInvite(value)],
  error_handler: (value) => ["edit_error_handler", value ?? {}],
  success_handler: (value) => ["edit_success_handler", value ?? {}],
  failure_notices: (value) => ["edit_failure_notices", value ?? { rules: [] }],
  large_file_storage: (value) => ["edit_large_file_storage_config", { large_file_storage: value ?? null }],
  git_sync: (value) => ["edit_git_sync_config", { git_sync_settings: value ?? null }],
  default_app: (value) => ["edit_default_app", { default_app_path: value ?? null }],
  default_scripts: (value) => ["default_scripts", value ?? null],
  mute_critical_alerts: (value) => ["critical_alerts/mute", { mute_critical_alerts: value === true }],
  color: (value) => ["change_workspace_color", { color: value ?? null }],
  operator_settings: (value) => ["operator_settings", value ?? null],
  datatable: (value) => ["edit_datatable_config", { settings: value ?? null }],
  deploy_ui: (value) => ["edit_deploy_ui_config", { deploy_ui_settings: value ?? null }],
  slack_command_script: (value) => ["edit_slack_command", { slack_command_script: value ?? null }],
  approvals: (value) => ["edit_approvals", value ?? { every_get_counts: false }],
  failed_runs: (value) => ["edit_failed_runs", value ?? { status: 200 }],
};

function toAutoInvite(value: unknown): unknown {
  if (!isJsonObject(value) || value["enabled"] === false) return {};
  const { operator, mode, domain, instance_groups, instance_groups_roles } = value;
  return { operator, invite_all: domain === "*", auto_add: mode === "add", instance_groups, instance_groups_roles };
}

/** Changes the settings that differ, one request for each. The name of the workspace is never changed. */
export async function saveSettings(client: ApiClient, item: SyncItem): Promise<void> {
  const wanted = fieldsOf(item);
  const current = await client.get<Record<string, unknown>>("workspaces/get_settings");
  for (const [name, toRequest] of Object.entries(settingRoutes)) {
    if (isDeepStrictEqual(wanted[name] ?? undefined, current[name] ?? undefined)) continue;
    const [route, body] = toRequest(wanted[name], wanted);
    await client.post(`workspaces/${route}`, body);
  }
}
