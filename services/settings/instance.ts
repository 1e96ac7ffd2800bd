import { SvcError } from "../../contract/errors.ts";
import { CONNECT_CLIENTS, toShownClients } from "../../core/accounts/client.ts";
import { instanceSettingObject } from "../../core/objects/setting.ts";
import { versionOfSetting } from "../../core/objects/setting-versions.ts";
import type { Versioned } from "../../core/objects/version.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import type { Actor } from "../../core/people/actor.ts";
import { defaultSetting, describeSettingIssue, INSTANCE_EVENTS_URL, isPublicSetting } from "../../core/settings/instance.ts";
import { toPart } from "../outbox/commit-parts.ts";
import { buildInstanceEndpointWrite } from "../outbox/instance-event.ts";
import type { Uses } from "../uses.ts";
import { replaceSettingItem, type SettingEdit } from "./replace-setting.ts";

/** The secrets of connect clients are never shown. */
const toShownValue = (found: StoredObject) => (found.sk === CONNECT_CLIENTS ? toShownClients(found) : (found.value ?? null));

/**
 * Returns a setting of the instance, or its default. Only some settings are public: for the others, throws `auth.forbidden` unless the
 * caller is a superadmin.
 */
export async function getGlobalSetting({ objects }: Uses<"objects">, actor: Actor, key: string): Promise<Versioned<unknown>> {
  // A job, and a token for one workspace, has no rights on the instance.
  const isOfInstance = actor.superAdmin && actor.workspace === undefined;
  if (!isOfInstance && !isPublicSetting(key)) throw new SvcError("auth.forbidden", { action: "settings.getGlobal", needs: "a superadmin" });
  const found = await objects.get(instanceSettingObject.key(key));
  return { json: found ? toShownValue(found) : defaultSetting(key), version: versionOfSetting(found) };
}

interface ListedSetting {
  name: string;
  value: unknown;
  version: string;
}

/** Lists the settings of the instance that are set, by name. */
export async function listGlobalSettings({ objects }: Uses<"objects">): Promise<ListedSetting[]> {
  const found = await objects.list(instanceSettingObject.partitionKey());
  return found.map((stored) => ({ name: stored.sk, value: toShownValue(stored), version: versionOfSetting(stored) }));
}

/**
 * Sets a setting of the instance; `null` restores its default. Throws `setting.value`, `object.versionChanged` and `access.changedMeanwhile`.
 */
export async function setGlobalSetting(
  deps: Uses<"objects" | "nowMs">,
  name: string,
  value: unknown,
  edit: SettingEdit = {},
): Promise<void> {
  const reason = value == null ? undefined : describeSettingIssue(name, value);
  if (reason) throw new SvcError("setting.value", { key: name, reason });
  const endpoint = () => toPart(buildInstanceEndpointWrite(typeof value === "string" ? value : "", deps.nowMs()));
  await replaceSettingItem(deps, {
    key: instanceSettingObject.key(name),
    name,
    edit,
    build: () => value ?? undefined,
    buildOthers: async () => (name === INSTANCE_EVENTS_URL ? [endpoint()] : []),
  });
}
