import { SvcError } from "../../contract/errors.ts";
import type { PublicSettingsJson, SettingsJson } from "../../contract/routes/workspaces/setting-schemas.ts";
import { settingObject } from "../../core/objects/setting.ts";
import { type StoredObject, write } from "../../core/objects/write.ts";
import { autoInviteSetting, parseStoredAutoInvite } from "../../core/people/auto-invite.ts";
import { jsonSettings } from "../../core/settings/workspace.ts";
import { workspaceObject } from "../../core/workspaces/workspace.ts";
import { commitParts } from "../outbox/commit-parts.ts";
import type { Uses } from "../uses.ts";

/** Each setting is a separate item, so that two concurrent changes do not overwrite each other. */
type SettingName = "large_file_storage" | "approvals" | "failed_runs";

function parseSetting(stored: StoredObject): unknown {
  const setting = jsonSettings.find(({ name }) => name === stored.sk);
  if (setting) return setting.parse(stored);
  return stored.sk === autoInviteSetting.name ? parseStoredAutoInvite(stored) : stored.value;
}

/** Returns all settings of a workspace. Throws `workspace.notFound`. */
export async function getWorkspaceSettings({ objects }: Uses<"objects">, workspace: string): Promise<SettingsJson> {
  const [found, settings] = await Promise.all([
    objects.get(workspaceObject.key(workspace)),
    objects.list(settingObject.partitionKey(workspace)),
  ]);
  if (!found) throw new SvcError("workspace.notFound", { workspace });
  const { name, color } = workspaceObject.parse(found);
  return {
    workspace_id: workspace,
    name,
    ...(color ? { color } : {}),
    ...Object.fromEntries(settings.map((setting) => [setting.sk, parseSetting(setting)])),
  };
}

/** Returns the settings of a workspace that every member may know. Throws `workspace.notFound`. */
export async function getPublicSettings(deps: Uses<"objects">, workspace: string): Promise<PublicSettingsJson> {
  const { workspace_id, name, color, large_file_storage: storage } = await getWorkspaceSettings(deps, workspace);
  const names = storage && "secondary_storage" in storage ? Object.keys(storage.secondary_storage ?? {}) : [];
  const shown = storage && { type: storage.type, ...(names.length > 0 ? { names } : {}) };
  return { workspace_id, name, ...(color ? { color } : {}), ...(shown ? { large_file_storage: shown } : {}) };
}

/** Replaces the whole value of a setting; `undefined` removes it. Throws `workspace.notFound`. */
export async function setWorkspaceSetting<Name extends SettingName>(
  { objects }: Uses<"objects">,
  workspace: string,
  name: Name,
  value: SettingsJson[Name],
): Promise<void> {
  const key = settingObject.key(workspace, name);
  await commitParts(objects, [
    { write: write.check(workspaceObject.key(workspace), "present"), refused: new SvcError("workspace.notFound", { workspace }) },
    { write: value === undefined ? write.remove(key) : write.put({ ...key, value }), refused: undefined },
  ]);
}
