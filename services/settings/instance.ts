import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { SvcError } from "../../contract/errors.ts";
import { keys } from "../../core/objects/keys.ts";
import type { Actor } from "../../core/people/actor.ts";
import { defaultSetting, describeSettingIssue, isPublicSetting } from "../../core/settings/instance.ts";

interface SettingDeps {
  objects: ObjectTable;
}

/**
 * Returns a setting of the instance, or its default. Only some settings are public: for the others, throws `auth.forbidden` unless the
 * caller is a superadmin.
 */
export async function getGlobalSetting({ objects }: SettingDeps, actor: Actor, key: string): Promise<unknown> {
  if (!actor.superAdmin && !isPublicSetting(key)) throw new SvcError("auth.forbidden", { action: "settings.getGlobal" });
  return (await objects.get(keys.instanceSetting(key)))?.value ?? defaultSetting(key);
}

/** Lists the settings of the instance that are set, by name. */
export async function listGlobalSettings({ objects }: SettingDeps): Promise<{ name: string; value: unknown }[]> {
  return (await objects.list(keys.instanceSetting("").pk)).map(({ sk, value }) => ({ name: sk, value: value ?? null }));
}

/** Sets a setting of the instance; `null` restores its default. Throws `setting.value`. */
export async function setGlobalSetting({ objects }: SettingDeps, key: string, value: unknown): Promise<void> {
  if (value == null) return objects.deleteItem(keys.instanceSetting(key));
  const reason = describeSettingIssue(key, value);
  if (reason) throw new SvcError("setting.value", { key, reason });
  await objects.put({ ...keys.instanceSetting(key), value });
}
