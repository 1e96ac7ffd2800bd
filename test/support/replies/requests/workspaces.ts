import { bad, closed, found, good, type RouteKey, type Steps } from "../exchange.ts";
import { aScript } from "./objects-in-use.ts";

/** A setting with a value that is stored, and one that is refused. */
const setting = (route: RouteKey, value: unknown, fault: unknown): Steps => [good(route, { json: value }), bad(route, { json: fault })];

const instance: Steps = [
  good("createWorkspace", { json: { id: "other", name: "The other one", color: "#aabbcc" } }),
  bad("createWorkspace", { json: { id: "other", name: "Again" } }),
  bad("createWorkspace", { json: { id: "Not an id", name: "" } }),
  ...closed("listWorkspaces"),
  ...closed("listAllWorkspaces"),
  ...closed("myWorkspaces"),
  ...closed("existsWorkspace", { json: { id: "other" } }),
  ...closed("existsUsername", { json: { id: "other", username: "ann" } }),
  bad("existsUsername", { json: { id: "other" } }),
  ...found("archiveWorkspace", { workspace: "other" }, { workspace: "none" }),
  ...found("unarchiveWorkspace", { workspace: "other" }, { workspace: "none" }),
  ...found("deleteWorkspace", { workspace: "other" }, { workspace: "none" }),
  good("setGlobal", { params: { key: "timeout_wait_result" }, json: { value: 7 } }),
  bad("setGlobal", { params: { key: "timeout_wait_result" }, json: { value: 700 } }),
  ...closed("getGlobal", { params: { key: "timeout_wait_result" } }),
  good("getGlobal", { params: { key: "unknown" } }),
  ...closed("listGlobal"),
];

const settings: Steps = [
  ...closed("getName"),
  ...setting("changeName", { new_name: "Demonstration" }, { new_name: "" }),
  ...setting("changeColor", { color: "#112233" }, { color: 1 }),
  ...setting("editAutoInvite", { operator: true, invite_all: true, auto_add: true }, { operator: "yes" }),
  ...setting("editApprovals", { every_get_counts: true }, {}),
  ...setting("editFailedRuns", { status: 500 }, { status: 302 }),
  ...setting("editErrorHandler", { path: "script/f/t/script", extra_args: { to: "ann" }, muted_on_cancel: true }, { path: "nowhere" }),
  ...setting("editSuccessHandler", { path: "script/f/t/script" }, { path: 1 }),
  ...setting("editFailureNotices", { rules: [{ path: "f/t/*", email: ["g/all"], on_recovery: true }] }, { rules: [{ email: 1 }] }),
  ...setting("editFileStorage", { large_file_storage: { type: "stack" } }, { large_file_storage: { type: "disk" } }),
  ...setting("editDefaultApp", { default_app_path: "f/t/app" }, { default_app_path: 1 }),
  ...setting("editDefaultScripts", { order: ["bash"] }, []),
  ...closed("getDefaultScripts"),
  ...setting("editGitSyncConfig", { git_sync_settings: { repositories: [] } }, { git_sync_settings: 1 }),
  ...setting("editDeployUiConfig", { deploy_ui_settings: { include_path: [] } }, { deploy_ui_settings: 1 }),
  ...setting("editSlackCommand", { slack_command_script: "f/t/script" }, { slack_command_script: 1 }),
  ...setting("editOperatorSettings", { runs: true }, 1),
  ...setting("editDatatableConfig", { settings: { datatables: {} } }, { settings: 1 }),
  ...setting("muteCriticalAlerts", { mute_critical_alerts: true }, { mute_critical_alerts: 1 }),
  ...closed("getSettings"),
  ...closed("getPublicSettings"),
  ...closed("usedTriggers"),
  ...closed("isPremium"),
  ...closed("usage"),
  bad("usage", { query: { days: 0 } }),
  ...closed("listWorkspaceSpecific"),
  ...closed("getSharedUi"),
  ...closed("getEncryptionKey"),
  good("setEncryptionKey", { json: { new_key: "k".repeat(64) } }),
  bad("setEncryptionKey", { json: { new_key: "short" } }),
  ...closed("getKeyRotation"),
  ...closed("continueKeyRotation"),
];

/** Workspaces, their settings and those of the instance. */
export const workspaces: Steps = [...aScript, ...instance, ...settings];
