import { SvcError } from "../../contract/errors.ts";
import type { PublicSettingsJson, SettingsJson } from "../../contract/routes/workspaces/setting-schemas.ts";
import { endpointObject, versionOfEndpoint, WORKSPACE_ENDPOINT } from "../../core/events/endpoint.ts";
import { settingObject } from "../../core/objects/setting.ts";
import { joinVersions, versionOfSetting, versionOfValue } from "../../core/objects/setting-versions.ts";
import type { Versioned } from "../../core/objects/version.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import { autoInviteSetting, parseStoredAutoInvite } from "../../core/people/auto-invite.ts";
import { jsonSettings } from "../../core/settings/workspace.ts";
import { workspaceObject } from "../../core/workspaces/workspace.ts";
import type { Uses } from "../uses.ts";
import { replaceSetting, type SettingEdit } from "./replace-setting.ts";

type SettingName = "large_file_storage" | "approvals" | "failed_runs";

function parseSetting(stored: StoredObject): unknown {
  const setting = jsonSettings.find(({ name }) => name === stored.sk);
  if (setting) return setting.parse(stored);
  return stored.sk === autoInviteSetting.name ? parseStoredAutoInvite(stored) : stored.value;
}

/** Returns all settings of a workspace, with the version that a change of each can name. Throws `workspace.notFound`. */
export async function getVersionedSettings({ objects }: Uses<"objects">, workspace: string): Promise<Versioned<SettingsJson>> {
  const [found, settings, webhook] = await Promise.all([
    objects.get(workspaceObject.key(workspace)),
    objects.list(settingObject.partitionKey(workspace)),
    objects.get(endpointObject.key(workspace, WORKSPACE_ENDPOINT)),
  ]);
  if (!found) throw new SvcError("workspace.notFound", { workspace });
  const { name, color } = workspaceObject.parse(found);
  const endpoint = webhook && endpointObject.parse(webhook);
  return {
    json: {
      workspace_id: workspace,
      name,
      ...(color ? { color } : {}),
      ...Object.fromEntries(settings.map((setting) => [setting.sk, parseSetting(setting)])),
      ...(endpoint ? { webhook: endpoint.url, events: endpoint.events ?? null } : {}),
    },
    version: joinVersions({
      name: versionOfValue(name),
      color: versionOfValue(color),
      ...Object.fromEntries(settings.map((setting) => [setting.sk, versionOfSetting(setting)])),
      webhook: versionOfEndpoint(endpoint),
    }),
  };
}

/** Returns all settings of a workspace. Throws `workspace.notFound`. */
export const getWorkspaceSettings = async (deps: Uses<"objects">, workspace: string): Promise<SettingsJson> =>
  (await getVersionedSettings(deps, workspace)).json;

/** Returns the settings of a workspace that every member may know. Throws `workspace.notFound`. */
export async function getPublicSettings(deps: Uses<"objects">, workspace: string): Promise<PublicSettingsJson> {
  const { workspace_id, name, color, large_file_storage: storage } = await getWorkspaceSettings(deps, workspace);
  const names = storage && "secondary_storage" in storage ? Object.keys(storage.secondary_storage ?? {}) : [];
  const shown = storage && { type: storage.type, ...(names.length > 0 ? { names } : {}) };
  return { workspace_id, name, ...(color ? { color } : {}), ...(shown ? { large_file_storage: shown } : {}) };
}

/**
 * Replaces the whole value of a setting; `undefined` removes it. Throws `object.versionChanged`, `workspace.notFound` and
 * `access.changedMeanwhile`.
 */
export const setWorkspaceSetting = <Name extends SettingName>(
  deps: Uses<"objects" | "nowMs">,
  workspace: string,
  name: Name,
  value: SettingsJson[Name],
  edit: SettingEdit = {},
): Promise<void> => replaceSetting(deps, { workspace, name, edit, build: () => value });
