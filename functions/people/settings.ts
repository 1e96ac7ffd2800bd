import { accountKeys } from "../../aws/kms/data-keys.ts";
import { opaqueSettingRoutes as opaque } from "../../contract/routes/workspaces/opaque-settings.ts";
import type { OpaqueSettings } from "../../contract/routes/workspaces/setting-schemas.ts";
import { settingRoutes as routes } from "../../contract/routes/workspaces/settings.ts";
import { CONNECT_CLIENTS } from "../../core/accounts/client.ts";
import type { ExpectedVersions } from "../../core/objects/version.ts";
import type { Actor } from "../../core/people/actor.ts";
import { setConnectClients } from "../../services/accounts/clients.ts";
import { setFileStorage } from "../../services/files/storages.ts";
import { readUsage } from "../../services/jobs/read/usage.ts";
import { saveWorkspaceHandler } from "../../services/outcome-handlers/save-handler.ts";
import { getGlobalSetting, listGlobalSettings, setGlobalSetting } from "../../services/settings/instance.ts";
import { setOpaqueSetting } from "../../services/settings/opaque.ts";
import type { SettingEdit } from "../../services/settings/replace-setting.ts";
import { getPublicSettings, getVersionedSettings, getWorkspaceSettings, setWorkspaceSetting } from "../../services/settings/workspace.ts";
import { findUsedTriggers } from "../../services/triggers/count.ts";
import { setAutoInvite } from "../../services/workspaces/auto-invite.ts";
import { setFailureNotices } from "../../services/workspaces/failure-notices.ts";
import { renameWorkspace, setWorkspaceColor } from "../../services/workspaces/workspaces.ts";
import type { ApiRoutes } from "../shared/edge/domain-api.ts";
import { on } from "../shared/edge/edge.ts";
import { json, type Reply, text, versioned } from "../shared/reply/reply.ts";
import { deps } from "./deps.ts";

interface EditCall {
  auth: { actor: Actor };
  expected: ExpectedVersions | undefined;
}

/** Returns the author of a request that changes a setting, and the versions that it names. */
const editOf = ({ auth: { actor }, expected }: EditCall): SettingEdit => ({ by: actor.username, expected });

interface SettingCall extends EditCall {
  params: { workspace: string };
}

/** Stores a setting. Without a value, or with an empty text, it is removed. */
async function save<Name extends keyof OpaqueSettings>(
  request: SettingCall,
  name: Name,
  input: OpaqueSettings[Name] | null,
): Promise<Reply> {
  const value = input === null || input === "" ? undefined : input;
  await setOpaqueSetting(deps, request.params.workspace, name, value, editOf(request));
  return text(200, `The setting ${name} was ${value === undefined ? "removed" : "saved"}.`);
}

/** An absent body is read as an empty object. */
const orAbsent = (body: Record<string, unknown> = {}) => (Object.keys(body).length === 0 ? null : body);

export const settings: ApiRoutes = [
  on(routes.listGlobal, async () => json(200, await listGlobalSettings(deps))),
  on(routes.getGlobal, async ({ auth, params: { key } }) => versioned(await getGlobalSetting(deps, auth.actor, key))),
  on(routes.setGlobal, async ({ auth: { actor }, params: { key }, body, expected }) => {
    // The instance knows people by their addresses.
    const edit = { by: actor.email, expected };
    if (key === CONNECT_CLIENTS) await setConnectClients({ ...deps, accountKeys }, body.value, edit);
    else await setGlobalSetting(deps, key, body.value, edit);
    return text(200, `The setting ${key} was saved.`);
  }),
  on(routes.getSettings, async ({ params: { workspace } }) => versioned(await getVersionedSettings(deps, workspace))),
  on(routes.getPublicSettings, async ({ params: { workspace } }) => json(200, await getPublicSettings(deps, workspace))),
  on(routes.usedTriggers, async ({ params: { workspace } }) => json(200, await findUsedTriggers(deps, workspace))),
  on(routes.isPremium, async () => json(200, true)),
  on(routes.usage, async ({ params: { workspace }, query: { days = 7 } }) => json(200, await readUsage(deps, workspace, days))),
  on(routes.getName, async ({ params: { workspace } }) => text(200, (await getWorkspaceSettings(deps, workspace)).name)),
  on(routes.changeName, async ({ params: { workspace }, body, ...request }) => {
    await renameWorkspace(deps, workspace, body.new_name, editOf(request));
    return text(200, `The workspace is now called ${body.new_name}.`);
  }),
  on(routes.changeColor, async ({ params: { workspace }, body, ...request }) => {
    await setWorkspaceColor(deps, workspace, body.color, editOf(request));
    return text(200, "The colour was changed.");
  }),
  on(routes.editApprovals, async ({ params: { workspace }, body, ...request }) => {
    await setWorkspaceSetting(deps, workspace, "approvals", body, editOf(request));
    return text(
      200,
      body.every_get_counts
        ? "Every GET request to an approval link now decides."
        : "A browser that opens an approval link now shows the approval page.",
    );
  }),
  on(routes.editFailedRuns, async ({ params: { workspace }, body, ...request }) => {
    await setWorkspaceSetting(deps, workspace, "failed_runs", body, editOf(request));
    return text(200, `Synchronous calls now answer a failed run with ${body.status}, unless the run chooses its status.`);
  }),
  on(routes.editAutoInvite, async ({ params: { workspace }, body, ...request }) => {
    const adminEmail = request.auth.actor.email;
    const autoInvite = await setAutoInvite(deps, workspace, { request: body, adminEmail, ...editOf(request) });
    return text(
      200,
      autoInvite?.enabled ? "New users now join this workspace automatically." : "New users no longer join this workspace automatically.",
    );
  }),
  on(routes.editErrorHandler, async ({ auth, params: { workspace }, body, expected }) => {
    const path = await saveWorkspaceHandler(deps, { actor: auth.actor, workspace }, "error_handler", body, expected);
    return text(200, path ? `${path} is now called when a job of this workspace fails.` : "The error handler was removed.");
  }),
  on(routes.editSuccessHandler, async ({ auth, params: { workspace }, body, expected }) => {
    const path = await saveWorkspaceHandler(deps, { actor: auth.actor, workspace }, "success_handler", body, expected);
    return text(200, path ? `${path} is now called when a job of this workspace succeeds.` : "The success handler was removed.");
  }),
  on(routes.editFailureNotices, async ({ params: { workspace }, body, ...request }) => {
    await setFailureNotices(deps, workspace, body, editOf(request));
    const { length } = body.rules;
    return text(
      200,
      length === 0 ? "Failures are no longer reported." : `Failures are now reported by ${length} rule${length === 1 ? "" : "s"}.`,
    );
  }),
  on(routes.editFileStorage, async ({ auth, params: { workspace }, body, expected }) => {
    await setFileStorage(deps, auth.actor, workspace, body.large_file_storage ?? undefined, expected);
    return text(200, "The file storage was saved.");
  }),
  on(opaque.editDefaultApp, (request) => save(request, "default_app", request.body?.default_app_path)),
  on(opaque.getDefaultScripts, async ({ params: { workspace } }) =>
    json(200, (await getWorkspaceSettings(deps, workspace)).default_scripts ?? null),
  ),
  on(opaque.editDefaultScripts, (request) => save(request, "default_scripts", orAbsent(request.body))),
  on(opaque.editGitSyncConfig, (request) => save(request, "git_sync", request.body?.git_sync_settings)),
  on(opaque.editDeployUiConfig, (request) => save(request, "deploy_ui", request.body?.deploy_ui_settings)),
  on(opaque.editSlackCommand, (request) => save(request, "slack_command_script", request.body?.slack_command_script)),
  on(opaque.editOperatorSettings, (request) => save(request, "operator_settings", orAbsent(request.body))),
  on(opaque.editDatatableConfig, (request) => save(request, "datatable", request.body?.settings)),
  on(opaque.muteCriticalAlerts, (request) => save(request, "mute_critical_alerts", request.body?.mute_critical_alerts)),
];
