import { digestItem, equalsLocal } from "../../../core/sync/digest.ts";
import { fromObject } from "../../../core/sync/from-object.ts";
import type { SyncItem } from "../../../core/sync/item.ts";
import { type ApiClient, ApiError } from "../../api/client.ts";
import { CommandError } from "../../errors.ts";

/** The codes of a save whose condition is no longer true. */
const CHANGED = new Set(["script.pathTaken", "script.parentHasChild", "script.parentUnknown", "script.changedMeanwhile"]);

/**
 * Returns the condition of a new version: that it follows the version which was read, or that there was none. Services that return no versions
 * append the new one to the newest.
 */
export function toParent(before: SyncItem | undefined, { force = false }: { force?: boolean }): Record<string, unknown> {
  if (force || (before && before.version === undefined)) return { auto_parent: true };
  return before ? { parent_hash: before.version } : {};
}

/**
 * Creates a version and returns its hash. If the reply to an earlier attempt was lost, the version that it created is returned. Throws
 * `CommandError` if another client has saved the script since it was read.
 */
export async function createAfterParent(client: ApiClient, item: SyncItem, create: () => Promise<string>): Promise<string> {
  try {
    return (await create()).trim();
  } catch (error) {
    if (!(error instanceof ApiError) || !CHANGED.has(error.code)) throw error;
    const found = await client.find.scripts.getByPath({ path: item.path });
    const newest = found && fromObject(item, found, {});
    if (newest?.version && equalsLocal(digestItem(item), digestItem(newest))) return newest.version;
    throw new CommandError(
      `The script ${item.path} is in conflict: another client has saved it since this command read it. Compare both versions with: svc sync plan`,
      { cause: error },
    );
  }
}
