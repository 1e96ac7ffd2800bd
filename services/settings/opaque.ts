import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { OpaqueSettings } from "../../contract/routes/workspaces/setting-schemas.ts";
import { toJsonValue } from "../../core/objects/json-value.ts";
import type { Uses } from "../uses.ts";
import { replaceSetting, type SettingEdit } from "./replace-setting.ts";

/** Throws `body.tooLarge` if the values of a setting have more than `limits.settingBytes` as JSON. */
export function checkSettingSize(...values: unknown[]): void {
  const bytes = values.reduce<number>((sum, value) => sum + Buffer.byteLength(JSON.stringify(value) ?? ""), 0);
  if (bytes > limits.settingBytes) throw new SvcError("body.tooLarge", { limitBytes: limits.settingBytes, what: "setting" });
}

/**
 * Stores a setting that this service does not read, or removes it. Throws `body.tooLarge`, `object.versionChanged`, `workspace.notFound` and
 * `access.changedMeanwhile`.
 */
export async function setOpaqueSetting<Name extends keyof OpaqueSettings>(
  deps: Uses<"objects" | "nowMs">,
  workspace: string,
  name: Name,
  value: OpaqueSettings[Name],
  edit: SettingEdit = {},
): Promise<void> {
  checkSettingSize(value);
  await replaceSetting(deps, { workspace, name, edit, build: () => (value === undefined ? undefined : toJsonValue(value)) });
}
