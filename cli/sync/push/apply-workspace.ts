import { isDeepStrictEqual } from "node:util";
import type { OperationName } from "../../../contract/client/operation.ts";
import { isJsonObject } from "../../../contract/json/json-object.ts";
import { fieldsOf, type SyncItem } from "../../../core/sync/item.ts";
import type { ApiClient } from "../../api/client.ts";
import { createOrUpdate } from "../../api/item-operations.ts";

const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** Adds a member of the workspace or changes the role of one. */
export async function saveUser(client: ApiClient, item: SyncItem, before: SyncItem | undefined): Promise<void> {
  const { username, role, disabled } = fieldsOf(item);
  const rights = { is_admin: role === "admin", operator: role === "operator" };
  if (before) {
    await client.call.users.update({
      username: String(fieldsOf(before)["username"]),
      body: {
        ...rights,
        disabled: disabled === true,
      },
    });
    return;
  }
  await client.callAny("workspaces.addUser", { body: { email: item.path, username, ...rights } });
  if (disabled === true) await client.call.users.update({ username: String(username), body: { disabled } });
}

/** Creates or changes a group with its members and administrators. Each step may be repeated. */
export async function saveGroup(client: ApiClient, item: SyncItem, before: SyncItem | undefined): Promise<void> {
  const name = item.path;
  const { summary } = fieldsOf(item);
  const create = { name: item.path, summary };
  await createOrUpdate(client, { kind: "group", path: item.path, create, update: { summary }, exists: before !== undefined });
  const current = await client.call.groups.get({ name });
  const admins = listOf(fieldsOf(item)["admins"]);
  const members = new Set(
    [...admins, ...listOf(fieldsOf(item)["members"])].filter((one) => one.startsWith("u/")).map((one) => one.slice(2)),
  );
  for (const username of members) if (!current.members?.includes(username)) await client.call.groups.addUser({ name, body: { username } });
  for (const username of current.members ?? [])
    if (!members.has(username)) await client.call.groups.removeUser({ name, body: { username } });
  const granted = Object.entries(current.extra_perms ?? {}).flatMap(([owner, write]) => (write ? [owner] : []));
  for (const owner of admins)
    if (!granted.includes(owner)) await client.call.acls.add({ kind: "group_", path: name, body: { owner, write: true } });
  for (const owner of granted) if (!admins.includes(owner)) await client.call.acls.remove({ kind: "group_", path: name, body: { owner } });
}

const toWebhook = ({ webhook, events }: Settings): Settings => (webhook ? { webhook, events: events ?? null } : {});

type Settings = Readonly<Record<string, unknown>>;
type SettingRequest = (value: unknown, settings: Settings) => [operation: OperationName, body: unknown];

/** The operation that changes each setting, and its body. A setting that is absent is removed. */
const settingRequests: Readonly<Record<string, SettingRequest>> = {
  webhook: (_, settings) => ["workspaces.editWebhook", toWebhook(settings)],
  events: (_, settings) => ["workspaces.editWebhook", toWebhook(settings)],
  auto_invite: (value) => ["workspaces.editAutoInvite", toAutoInvite(value)],
  error_handler: (value) => ["workspaces.editErrorHandler", value ?? {}],
  success_handler: (value) => ["workspaces.editSuccessHandler", value ?? {}],
  failure_notices: (value) => ["workspaces.editFailureNotices", value ?? { rules: [] }],
  large_file_storage: (value) => ["workspaces.editLargeFileStorage", { large_file_storage: value ?? null }],
  git_sync: (value) => ["workspaces.editGitSyncConfig", { git_sync_settings: value ?? null }],
  default_app: (value) => ["workspaces.editDefaultApp", { default_app_path: value ?? null }],
  default_scripts: (value) => ["workspaces.editDefaultScripts", value ?? null],
  mute_critical_alerts: (value) => ["workspaces.muteCriticalAlerts", { mute_critical_alerts: value === true }],
  color: (value) => ["workspaces.changeColor", { color: value ?? null }],
  operator_settings: (value) => ["workspaces.editOperatorSettings", value ?? null],
  datatable: (value) => ["workspaces.editDatatableConfig", { settings: value ?? null }],
  deploy_ui: (value) => ["workspaces.editDeployUiConfig", { deploy_ui_settings: value ?? null }],
  slack_command_script: (value) => ["workspaces.editSlackCommand", { slack_command_script: value ?? null }],
  approvals: (value) => ["workspaces.editApprovals", value ?? { every_get_counts: false }],
  failed_runs: (value) => ["workspaces.editFailedRuns", value ?? { status: 200 }],
};

function toAutoInvite(value: unknown): unknown {
  if (!isJsonObject(value) || value["enabled"] === false) return {};
  const { operator, mode, domain, instance_groups, instance_groups_roles } = value;
  return { operator, invite_all: domain === "*", auto_add: mode === "add", instance_groups, instance_groups_roles };
}

/** Changes the settings that differ, one request for each. The name of the workspace is never changed. */
export async function saveSettings(client: ApiClient, item: SyncItem): Promise<void> {
  const settings = fieldsOf(item);
  const current: Settings = await client.call.workspaces.getSettings();
  for (const [name, toRequest] of Object.entries(settingRequests)) {
    if (isDeepStrictEqual(settings[name] ?? undefined, current[name] ?? undefined)) continue;
    const [operation, body] = toRequest(settings[name], settings);
    await client.callAny(operation, { body });
  }
}
