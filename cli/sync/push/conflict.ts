import { isJsonObject } from "../../../contract/json/json-object.ts";
import { digestItem, equalsLocal } from "../../../core/sync/digest.ts";
import { fromObject } from "../../../core/sync/from-object.ts";
import { isSecret, type SyncItem } from "../../../core/sync/item.ts";
import { type ApiClient, ApiError, unlessMissing } from "../../api/client.ts";
import { at, isTaken, nounOf, readOf } from "../../api/item-operations.ts";
import { CommandError } from "../../errors.ts";

/** Returns the error for an item that another client has saved since it was read, or `undefined` for another error. */
export function toConflict({ kind, path }: Pick<SyncItem, "kind" | "path">, error: unknown): CommandError | undefined {
  if (!(error instanceof ApiError) || !(error.code === "object.versionChanged" || isTaken(error))) return undefined;
  return new CommandError(
    `The ${kind} ${path} is in conflict: another client has saved it since this command read it. ${error.message} Compare both versions with: svc sync plan`,
    { cause: error },
  );
}

/**
 * Saves an item. If the reply to an earlier attempt was lost, the service has the item already, with another version. Throws `CommandError` if
 * another client has saved it since it was read.
 */
export async function unlessSaved(
  client: ApiClient,
  item: SyncItem,
  { plainSecrets }: { plainSecrets: boolean },
  save: () => Promise<void>,
): Promise<void> {
  try {
    await save();
  } catch (error) {
    const conflict = toConflict(item, error);
    if (!conflict) throw error;
    const query = isSecret(item) && !plainSecrets ? { decrypt_secret: false, include_encrypted: true } : {};
    const found = await client.callAny(readOf(nounOf(item.kind)), { ...at(item.path), query }).catch(unlessMissing);
    if (isJsonObject(found) && equalsLocal(digestItem(item), digestItem(fromObject(item, found, {})))) return;
    throw conflict;
  }
}
