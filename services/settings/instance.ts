import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { SvcError } from "../../contract/errors.ts";
import { keys } from "../../core/objects/keys.ts";
import type { Actor } from "../../core/people/actor.ts";
import { defaultSetting, describeSettingIssue, isPublicSetting } from "../../core/settings/instance.ts";

interface Collaborators {
  objects: ObjectTable;
}

/** Throws `auth.forbidden`. */
export async function getGlobalSetting({ objects }: Collaborators, actor: Actor, key: string): Promise<unknown> {
  if (!actor.superAdmin && !isPublicSetting(key)) throw new SvcError("auth.forbidden", { action: "settings.getGlobal" });
  return (await objects.get(keys.instanceSetting(key)))?.value ?? defaultSetting(key);
}

export async function listGlobalSettings({ objects }: Collaborators): Promise<{ name: string; value: unknown }[]> {
  return (await objects.list(keys.instanceSetting("").pk)).map(({ sk, value }) => ({ name: sk, value: value ?? null }));
}

/** Throws `setting.value`. */
export async function setGlobalSetting({ objects }: Collaborators, key: string, value: unknown): Promise<void> {
  if (value == null) return objects.remove(keys.instanceSetting(key));
  const reason = describeSettingIssue(key, value);
  if (reason) throw new SvcError("setting.value", { key, reason });
  await objects.put({ ...keys.instanceSetting(key), value });
}
