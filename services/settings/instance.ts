import { SvcError } from "../../contract/errors.ts";
import { CONNECT_CLIENTS, toShownClients } from "../../core/accounts/client.ts";
import { instanceSettingObject } from "../../core/objects/setting.ts";
import { type StoredObject, write } from "../../core/objects/write.ts";
import type { Actor } from "../../core/people/actor.ts";
import { defaultSetting, describeSettingIssue, INSTANCE_EVENTS_URL, isPublicSetting } from "../../core/settings/instance.ts";
import { buildInstanceEndpointWrite } from "../outbox/instance-event.ts";
import type { Uses } from "../uses.ts";

/** The secrets of connect clients are never shown. */
const toShownValue = (found: StoredObject) => (found.sk === CONNECT_CLIENTS ? toShownClients(found) : (found.value ?? null));

/**
 * Returns a setting of the instance, or its default. Only some settings are public: for the others, throws `auth.forbidden` unless the
 * caller is a superadmin.
 */
export async function getGlobalSetting({ objects }: Uses<"objects">, actor: Actor, key: string): Promise<unknown> {
  // A job, and a token for one workspace, has no rights on the instance.
  const isOfInstance = actor.superAdmin && actor.workspace === undefined;
  if (!isOfInstance && !isPublicSetting(key)) throw new SvcError("auth.forbidden", { action: "settings.getGlobal", needs: "a superadmin" });
  const found = await objects.get(instanceSettingObject.key(key));
  return found ? toShownValue(found) : defaultSetting(key);
}

/** Lists the settings of the instance that are set, by name. */
export async function listGlobalSettings({ objects }: Uses<"objects">): Promise<{ name: string; value: unknown }[]> {
  return (await objects.list(instanceSettingObject.partitionKey())).map((found) => ({ name: found.sk, value: toShownValue(found) }));
}

/** Sets a setting of the instance; `null` restores its default. Throws `setting.value`. */
export async function setGlobalSetting({ objects, nowMs }: Uses<"objects" | "nowMs">, key: string, value: unknown): Promise<void> {
  const reason = value == null ? undefined : describeSettingIssue(key, value);
  if (reason) throw new SvcError("setting.value", { key, reason });
  const stored = instanceSettingObject.key(key);
  const change = value == null ? write.remove(stored) : write.put({ ...stored, value });
  const also = key === INSTANCE_EVENTS_URL ? [buildInstanceEndpointWrite(typeof value === "string" ? value : "", nowMs())] : [];
  await objects.transactWrite([change, ...also]);
}
