import { defined } from "../../contract/defined.ts";
import { SvcError } from "../../contract/errors.ts";
import {
  CONNECT_CLIENTS,
  type ConnectClient,
  connectClientsSchema,
  connectClientsSetting,
  findKeptSecret,
  type StoredClient,
  toConnectClient,
} from "../../core/accounts/client.ts";
import { replaceSettingItem, type SettingEdit } from "../settings/replace-setting.ts";
import type { Uses } from "../uses.ts";
import { openForAccounts, sealForAccounts, sealLocations } from "./account-key.ts";

const key = connectClientsSetting.key();

/**
 * Replaces the connect clients of the instance; `null` removes all. A client without a secret retains the stored one if its id and its token URL
 * are the same. Throws `setting.value`, `object.versionChanged`, `access.changedMeanwhile`.
 */
export async function setConnectClients(
  deps: Uses<"objects" | "accountKeys" | "nowMs">,
  value: unknown,
  edit: SettingEdit = {},
): Promise<void> {
  const parsed = connectClientsSchema.nullable().safeParse(value ?? null);
  if (!parsed.success) throw new SvcError("setting.value", { key: CONNECT_CLIENTS, reason: parsed.error.issues[0]?.message ?? "" });
  const newClients = parsed.data;
  await replaceSettingItem(deps, {
    key,
    name: CONNECT_CLIENTS,
    edit,
    build: async (found) => {
      if (newClients === null) return undefined;
      const before = found ? connectClientsSetting.parse(found) : {};
      const clients: Record<string, StoredClient> = {};
      for (const [name, client] of Object.entries(newClients)) {
        const sealedSecret = client.secret
          ? await sealForAccounts(deps, sealLocations.client(name), client.secret)
          : findKeptSecret(before[name], client);
        clients[name] = { id: client.id, connect_config: client.connect_config, ...defined({ sealedSecret }) };
      }
      return clients;
    },
  });
}

/** Returns the stored connect clients by name. */
export async function loadStoredClients({ objects }: Uses<"objects">): Promise<Record<string, StoredClient>> {
  const found = await objects.get(key);
  return found ? connectClientsSetting.parse(found) : {};
}

/** Returns a stored client. Throws `connect.unknown`. */
export async function requireStoredClient(deps: Uses<"objects">, name: string): Promise<StoredClient> {
  const clients = await loadStoredClients(deps);
  const found = Object.hasOwn(clients, name) ? clients[name] : undefined;
  if (!found) throw new SvcError("connect.unknown", { client: name });
  return found;
}

/** Returns a client with its secret. Throws `connect.unknown`. */
export async function loadConnectClient(deps: Uses<"objects" | "accountKeys" | "nowMs">, name: string): Promise<ConnectClient> {
  const stored = await requireStoredClient(deps, name);
  const { sealedSecret } = stored;
  const secret = sealedSecret === undefined ? undefined : await openForAccounts(deps, sealLocations.client(name), sealedSecret);
  return toConnectClient(name, stored, secret);
}
