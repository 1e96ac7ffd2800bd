import { v7 as uuidv7 } from "uuid";
import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { INSTANCE } from "../../contract/common.ts";
import { isSvcError, SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { type AuditJson, type AuditQuery, auditSchema } from "../../contract/routes/workspaces/audit.ts";
import { matchesAuditQuery } from "../../core/audit/entry.ts";
import { keys } from "../../core/objects/keys.ts";
import { parseObject, parseReadableObjects } from "../../core/objects/parse-object.ts";
import type { StoredObject } from "../../core/objects/write.ts";

interface AuditDeps {
  objects: ObjectTable;
  nowMs: () => number;
}
export type AuditedAction = Pick<AuditJson, "username" | "operation" | "action_kind" | "resource" | "parameters"> & {
  workspace?: string | undefined;
};

/**
 * Runs an action with an entry in the audit log. The entry is written first and removed if the service refuses the action, so no action
 * happens without an entry. If the process dies in between, the log may contain an action that did not happen. `findResource` names an object
 * that the action itself creates.
 */
export async function runAudited<T>(
  { objects, nowMs }: AuditDeps,
  action: AuditedAction,
  act: () => Promise<T>,
  findResource?: (result: T) => string | undefined,
): Promise<T> {
  const item = buildAuditItem(action, nowMs());
  await objects.put(item);
  try {
    const result = await act();
    const resource = findResource?.(result);
    if (resource !== undefined) await objects.put({ ...item, value: { ...(item.value as AuditJson), resource } });
    return result;
  } catch (error) {
    if (isSvcError(error)) await objects.deleteItem({ pk: item.pk, sk: item.sk });
    throw error;
  }
}

/** Builds the stored entry of an action, in the log of its workspace or, without one, of the instance. */
export function buildAuditItem({ workspace = INSTANCE, ...action }: AuditedAction, atMs: number): StoredObject {
  return toAuditItem({ workspace_id: workspace, id: uuidv7({ msecs: atMs }), timestamp: new Date(atMs).toISOString(), ...action });
}

/** Returns the stored form of an entry, which expires after `limits.auditRetentionMs`. */
export function toAuditItem(entry: AuditJson): StoredObject {
  const expiresAtS = Math.ceil((Date.parse(entry.timestamp) + limits.auditRetentionMs) / 1000);
  return { ...keys.audit(entry.workspace_id, entry.id), value: entry, expiresAtS };
}

/** Lists entries, the newest first, from one read of at most `limits.listScan` entries. Pass the last timestamp as `before` to continue. */
export async function listAudit(
  { objects }: Pick<AuditDeps, "objects">,
  workspace: string | undefined,
  query: AuditQuery,
): Promise<AuditJson[]> {
  const { pk } = keys.audit(workspace ?? INSTANCE, "");
  const bound = (at: string, end: "0" | "f") => uuidv7({ msecs: Math.max(0, Date.parse(at)) }).slice(0, 13) + end.repeat(23);
  const from = query.after === undefined ? "0" : bound(query.after, "0");
  const to = query.before === undefined ? "g" : bound(query.before, "f");
  const found = await objects.list(pk, { between: [from, to], newestFirst: true, limit: limits.listScan });
  return parseReadableObjects(auditSchema, found).filter((entry) => matchesAuditQuery(entry, query));
}

/** Returns one entry of a workspace's audit log. Throws `audit.notFound`. */
export async function getAudit({ objects }: Pick<AuditDeps, "objects">, workspace: string, id: string): Promise<AuditJson> {
  const found = await objects.get(keys.audit(workspace, id));
  if (!found) throw new SvcError("audit.notFound", { id });
  return parseObject(auditSchema, found);
}
