import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { SvcError } from "../../contract/errors.ts";
import type { SettingsJson } from "../../contract/routes/workspaces/settings.ts";
import type { WorkspaceJson } from "../../contract/routes/workspaces/workspaces.ts";
import { keys } from "../../core/objects/keys.ts";
import { write } from "../../core/objects/write.ts";
import { commitParts } from "../outbox/commit-parts.ts";

interface Collaborators {
  objects: ObjectTable;
}
/** Each is an item of its own, so that two changes at once do not undo each other. */
type Setting = keyof Omit<SettingsJson, "workspace_id" | "name" | "color">;

/** Throws `workspace.notFound`. */
export async function getWorkspaceSettings({ objects }: Collaborators, workspace: string): Promise<SettingsJson> {
  const [found, settings] = await Promise.all([objects.get(keys.workspace(workspace)), objects.list(keys.setting(workspace, "").pk)]);
  if (!found) throw new SvcError("workspace.notFound", { workspace });
  const { name, color } = found.value as WorkspaceJson;
  return {
    workspace_id: workspace,
    name,
    ...(color ? { color } : {}),
    ...Object.fromEntries(settings.map(({ sk, value }) => [sk, value])),
  };
}

/** Replaces a setting whole; `undefined` takes it away. Throws `workspace.notFound`. */
export async function setWorkspaceSetting<Name extends Setting>(
  { objects }: Collaborators,
  workspace: string,
  name: Name,
  value: SettingsJson[Name],
): Promise<void> {
  const key = keys.setting(workspace, name);
  await commitParts(objects, [
    { write: write.check(keys.workspace(workspace), "present"), refused: new SvcError("workspace.notFound", { workspace }) },
    { write: value === undefined ? write.remove(key) : write.put({ ...key, value }), refused: undefined },
  ]);
}
