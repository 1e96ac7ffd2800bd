import * as z from "zod";
import { inWorkspace, jsonObject } from "../../common.ts";
import { defineRoute } from "../../route.ts";
import { opaqueSettingsSchema } from "./setting-schemas.ts";

const w = "/api/w/{workspace}/workspaces";
const { default_app, slack_command_script, mute_critical_alerts } = opaqueSettingsSchema.shape;

const edit = {
  method: "POST",
  fn: "people",
  auth: "token",
  status: 200,
  access: { domain: "workspaces", verb: "write", need: "admin", target: "none" },
  params: inWorkspace,
  reply: { text: "A confirmation." },
  errors: ["workspace.notFound", "access.changedMeanwhile"],
} as const;
/** A body that is the setting itself. The body `null` removes a setting, as an empty one does, so no body is required. */
const wholeSetting = jsonObject.optional();

/** The settings that this service stores for other clients and does not read (api.md §3.6). */
export const opaqueSettingRoutes = {
  editDefaultApp: defineRoute({
    ...edit,
    name: "workspaces.editDefaultApp",
    summary: "Store the path of the workspace's default app. Without a path, it is removed.",
    path: `${w}/edit_default_app`,
    audits: { kind: "Updated", resource: "none" },
    version: "expected",
    body: z.object({ default_app_path: default_app.nullable() }).optional(),
  }),
  getDefaultScripts: defineRoute({
    ...edit,
    method: "GET",
    name: "workspaces.getDefaultScripts",
    summary: "Get the stored templates of new scripts, or null if there are none.",
    path: `${w}/default_scripts`,
    access: { domain: "workspaces", verb: "read", need: "member", target: "none" },
    reply: { json: jsonObject.nullable() },
  }),
  editDefaultScripts: defineRoute({
    ...edit,
    name: "workspaces.editDefaultScripts",
    summary: "Store the templates of new scripts. An empty body removes them.",
    path: `${w}/default_scripts`,
    audits: { kind: "Updated", resource: { text: "default_scripts" } },
    version: "expected",
    body: wholeSetting,
  }),
  editGitSyncConfig: defineRoute({
    ...edit,
    name: "workspaces.editGitSyncConfig",
    summary: "Store the configuration of git repositories. Without git_sync_settings, it is removed.",
    path: `${w}/edit_git_sync_config`,
    audits: { kind: "Updated", resource: "none" },
    version: "expected",
    body: z.object({ git_sync_settings: jsonObject.nullish() }).optional(),
  }),
  editDeployUiConfig: defineRoute({
    ...edit,
    name: "workspaces.editDeployUiConfig",
    summary: "Store the configuration of deployments between workspaces. Without deploy_ui_settings, it is removed.",
    path: `${w}/edit_deploy_ui_config`,
    audits: { kind: "Updated", resource: "none" },
    version: "expected",
    body: z.object({ deploy_ui_settings: jsonObject.nullish() }).optional(),
  }),
  editSlackCommand: defineRoute({
    ...edit,
    name: "workspaces.editSlackCommand",
    summary: "Store the script or flow of the Slack command. Without slack_command_script, it is removed.",
    path: `${w}/edit_slack_command`,
    audits: { kind: "Updated", resource: "none" },
    version: "expected",
    body: z.object({ slack_command_script: slack_command_script.nullable() }).optional(),
  }),
  editOperatorSettings: defineRoute({
    ...edit,
    name: "workspaces.editOperatorSettings",
    summary: "Store what other clients show to operators. It changes no permission. An empty body removes it.",
    path: `${w}/operator_settings`,
    audits: { kind: "Updated", resource: { text: "operator_settings" } },
    version: "expected",
    body: wholeSetting,
  }),
  editDatatableConfig: defineRoute({
    ...edit,
    name: "workspaces.editDatatableConfig",
    summary: "Store the configuration of data tables. Without settings, it is removed.",
    path: `${w}/edit_datatable_config`,
    audits: { kind: "Updated", resource: "none" },
    version: "expected",
    body: z.object({ settings: jsonObject.nullish() }).optional(),
  }),
  muteCriticalAlerts: defineRoute({
    ...edit,
    name: "workspaces.muteCriticalAlerts",
    summary: "Store whether other clients hide critical alerts. Without mute_critical_alerts, the setting is removed.",
    path: `${w}/critical_alerts/mute`,
    audits: { kind: "Updated", resource: "none" },
    version: "expected",
    body: z.object({ mute_critical_alerts: mute_critical_alerts.nullable() }).optional(),
  }),
};
