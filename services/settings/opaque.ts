import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { OpaqueSettings } from "../../contract/routes/workspaces/setting-schemas.ts";
import { toJsonValue } from "../../core/objects/json-value.ts";
import { settingObject } from "../../core/objects/setting.ts";
import { write } from "../../core/objects/write.ts";
import { workspaceObject } from "../../core/workspaces/workspace.ts";
import { commitParts } from "../outbox/commit-parts.ts";
import type { Uses } from "../uses.ts";

/** Throws `body.tooLarge` if the values of a setting have more than `limits.settingBytes` as JSON. */
export function checkSettingSize(...values: unknown[]): void {
  const bytes = values.reduce<number>((sum, value) => sum + Buffer.byteLength(JSON.stringify(value) ?? ""), 0);
  if (bytes > limits.settingBytes) throw new SvcError("body.tooLarge", { limitBytes: limits.settingBytes, what: "setting" });
}

/**
 * Stores a setting that this service does not read, or removes it. Each setting is a separate item, so that two concurrent changes do not
 * overwrite each other. Throws `body.tooLarge` and `workspace.notFound`.
 */
export async function setOpaqueSetting<Name extends keyof OpaqueSettings>(
  { objects }: Uses<"objects">,
  workspace: string,
  name: Name,
  value: OpaqueSettings[Name],
): Promise<void> {
  checkSettingSize(value);
  const key = settingObject.key(workspace, name);
  await commitParts(objects, [
    { write: write.check(workspaceObject.key(workspace), "present"), refused: new SvcError("workspace.notFound", { workspace }) },
    { write: value === undefined ? write.remove(key) : write.put({ ...key, value: toJsonValue(value) }), refused: undefined },
  ]);
}
