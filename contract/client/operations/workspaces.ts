// Generated from contract/routes: `npx vitest run --project rules contract/client/operations.test.ts -u`.

export const auditOperations = {
  "audit.list": "GET /api/w/{workspace}/audit/list",
  "audit.get": "GET /api/w/{workspace}/audit/get/{id}",
  "audit.listGlobal": "GET /api/audit/list",
};

export const keyRotationOperations = {
  "workspaces.getKeyRotation": "GET /api/w/{workspace}/variables/key_rotation",
  "workspaces.continueKeyRotation": "POST /api/w/{workspace}/variables/key_rotation",
};

export const opaqueSettingOperations = {
  "workspaces.editDefaultApp": "POST /api/w/{workspace}/workspaces/edit_default_app",
  "workspaces.getDefaultScripts": "GET /api/w/{workspace}/workspaces/default_scripts",
  "workspaces.editDefaultScripts": "POST /api/w/{workspace}/workspaces/default_scripts",
  "workspaces.editGitSyncConfig": "POST /api/w/{workspace}/workspaces/edit_git_sync_config",
  "workspaces.editDeployUiConfig": "POST /api/w/{workspace}/workspaces/edit_deploy_ui_config",
  "workspaces.editSlackCommand": "POST /api/w/{workspace}/workspaces/edit_slack_command",
  "workspaces.editOperatorSettings": "POST /api/w/{workspace}/workspaces/operator_settings",
  "workspaces.editDatatableConfig": "POST /api/w/{workspace}/workspaces/edit_datatable_config",
  "workspaces.muteCriticalAlerts": "POST /api/w/{workspace}/workspaces/critical_alerts/mute",
};

export const settingOperations = {
  "settings.listGlobal": "GET /api/settings/list_global",
  "settings.getGlobal": "GET /api/settings/global/{key}",
  "settings.setGlobal": "POST /api/settings/global/{key}",
  "workspaces.getSettings": "GET /api/w/{workspace}/workspaces/get_settings",
  "workspaces.getPublicSettings": "GET /api/w/{workspace}/workspaces/get_public_settings",
  "workspaces.usedTriggers": "GET /api/w/{workspace}/workspaces/used_triggers",
  "workspaces.isPremium": "GET /api/w/{workspace}/workspaces/is_premium",
  "workspaces.usage": "GET /api/w/{workspace}/workspaces/usage",
  "workspaces.getWorkspaceName": "GET /api/w/{workspace}/workspaces/get_workspace_name",
  "workspaces.changeName": "POST /api/w/{workspace}/workspaces/change_workspace_name",
  "workspaces.changeColor": "POST /api/w/{workspace}/workspaces/change_workspace_color",
  "workspaces.editAutoInvite": "POST /api/w/{workspace}/workspaces/edit_auto_invite",
  "workspaces.editApprovals": "POST /api/w/{workspace}/workspaces/edit_approvals",
  "workspaces.editFailedRuns": "POST /api/w/{workspace}/workspaces/edit_failed_runs",
  "workspaces.editErrorHandler": "POST /api/w/{workspace}/workspaces/edit_error_handler",
  "workspaces.editSuccessHandler": "POST /api/w/{workspace}/workspaces/edit_success_handler",
  "workspaces.editFailureNotices": "POST /api/w/{workspace}/workspaces/edit_failure_notices",
  "workspaces.editLargeFileStorage": "POST /api/w/{workspace}/workspaces/edit_large_file_storage_config",
};

export const synchronisationOperations = {
  "workspaces.listWorkspaceSpecific": "GET /api/w/{workspace}/workspaces/list_ws_specific",
  "workspaces.getSharedUi": "GET /api/w/{workspace}/shared_ui/get",
};

export const workspaceOperations = {
  "workspaces.create": "POST /api/workspaces/create",
  "workspaces.list": "GET /api/workspaces/list",
  "workspaces.listAsSuperadmin": "GET /api/workspaces/list_as_superadmin",
  "workspaces.archive": "POST /api/w/{workspace}/workspaces/archive",
  "workspaces.unarchive": "POST /api/workspaces/unarchive/{workspace}",
  "workspaces.delete": "DELETE /api/workspaces/delete/{workspace}",
  "workspaces.existsUsername": "POST /api/workspaces/exists_username",
  "workspaces.exists": "POST /api/workspaces/exists",
  "workspaces.getEncryptionKey": "GET /api/w/{workspace}/workspaces/encryption_key",
  "workspaces.setEncryptionKey": "POST /api/w/{workspace}/workspaces/encryption_key",
  "folders.create": "POST /api/w/{workspace}/folders/create",
  "folders.get": "GET /api/w/{workspace}/folders/get/{name}",
  "folders.update": "POST /api/w/{workspace}/folders/update/{name}",
  "folders.delete": "DELETE /api/w/{workspace}/folders/delete/{name}",
  "folders.addOwner": "POST /api/w/{workspace}/folders/addowner/{name}",
  "folders.removeOwner": "POST /api/w/{workspace}/folders/removeowner/{name}",
  "folders.getUsage": "GET /api/w/{workspace}/folders/getusage/{name}",
  "folders.exists": "GET /api/w/{workspace}/folders/exists/{name}",
  "folders.list": "GET /api/w/{workspace}/folders/list",
  "folders.listNames": "GET /api/w/{workspace}/folders/listnames",
};
