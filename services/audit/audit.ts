import { v7 as uuidv7 } from "uuid";
import { INSTANCE } from "../../contract/common.ts";
import { defined, mapDefined } from "../../contract/defined.ts";
import { isSvcError, SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { AuditJson, AuditQuery } from "../../contract/routes/workspaces/audit.ts";
import { toIsoTime } from "../../contract/utilities/iso-time.ts";
import { auditEntryObject, matchesAuditQuery } from "../../core/audit/entry.ts";
import { paginate } from "../../core/objects/page.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import type { Uses } from "../uses.ts";

export type AuditedAction = Pick<AuditJson, "username" | "operation" | "action_kind" | "resource" | "parameters"> & {
  workspace?: string | undefined;
  /** The action has several steps: if it is refused, some of them may have been executed. */
  inSteps?: boolean;
};

/**
 * Runs an action with an entry in the audit log. The entry is written first and removed if the service refuses an action of one step, so no
 * action happens without an entry. Otherwise, or if the process dies in between, the log may contain an action that did not happen. `findResource` names an object
 * that the action itself creates.
 */
export async function runAudited<T>(
  { objects, nowMs }: Uses<"objects" | "nowMs">,
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
    if (isSvcError(error) && !action.inSteps) await objects.deleteItem({ pk: item.pk, sk: item.sk });
    throw error;
  }
}

/** Builds the stored entry of an action, in the log of its workspace or, without one, of the instance. */
export function buildAuditItem({ workspace = INSTANCE, inSteps: _, ...action }: AuditedAction, atMs: number): StoredObject {
  return toAuditItem({ workspace_id: workspace, id: uuidv7({ msecs: atMs }), timestamp: new Date(atMs).toISOString(), ...action });
}

/** Returns the stored form of an entry, which expires after `limits.auditRetentionMs`. */
export function toAuditItem(entry: AuditJson): StoredObject {
  const expiresAtS = Math.ceil((Date.parse(entry.timestamp) + limits.auditRetentionMs) / 1000);
  return { ...auditEntryObject.key(entry.workspace_id, entry.id), value: entry, expiresAtS };
}

/** A page of the audit log. `before` continues it, as the parameter of that name without `page`, if more entries may match. */
export interface AuditPage {
  entries: AuditJson[];
  before?: string;
}

/** The newest entries that match a query, and the time at which the search stopped at its limit. */
interface FoundEntries {
  entries: AuditJson[];
  stoppedAtMs?: number;
}

/** The number of entries in one read. They have at most 1 KB each, and DynamoDB returns 1 MB at most. */
const BATCH = 500;

/** Returns the number of matches that fill a page and all pages before it. */
export const countWanted = ({ page = 1, per_page = limits.perPage }: AuditQuery) =>
  Math.max(page, 1) * Math.min(per_page, limits.maxPerPage);

/** Finds the newest entries that match, until the page is full or about `maxScanned` entries were compared. */
export async function findAuditEntries(
  { objects }: Uses<"objects">,
  workspace: string,
  query: AuditQuery,
  maxScanned: number = limits.listScan,
): Promise<FoundEntries> {
  const limit = Math.min(BATCH, maxScanned);
  const { pk } = auditEntryObject.key(workspace, "");
  const bound = (at: string, end: "0" | "f") => uuidv7({ msecs: Math.max(0, Date.parse(at)) }).slice(0, 13) + end.repeat(23);
  const from = query.after === undefined ? "0" : bound(query.after, "0");
  let to = query.before === undefined ? "g" : bound(query.before, "f");
  const requiredCount = countWanted(query);
  const entries: AuditJson[] = [];
  for (let scanned = 0; scanned < maxScanned; scanned += limit) {
    const found = await objects.list(pk, { between: [from, to], newestFirst: true, limit });
    // The bound of the next batch is the last entry of this one.
    const fresh = found.filter(({ sk }) => scanned === 0 || sk !== to);
    entries.push(...auditEntryObject.parseReadable(fresh).filter((entry) => matchesAuditQuery(entry, query)));
    const last = found.at(-1);
    if (entries.length >= requiredCount || found.length < limit || last === undefined) return { entries: entries.slice(0, requiredCount) };
    to = last.sk;
  }
  return { entries, stoppedAtMs: Number.parseInt(to.replace("-", "").slice(0, 12), 16) };
}

/** Lists the audit log of the instance, the newest entries first. */
export async function listInstanceAudit(deps: Uses<"objects">, query: AuditQuery): Promise<AuditPage> {
  const { entries, stoppedAtMs } = await findAuditEntries(deps, INSTANCE, query);
  return { entries: paginate(entries, query), ...defined({ before: mapDefined(stoppedAtMs, toIsoTime) }) };
}

/** Returns one entry of a workspace's audit log. Throws `audit.notFound`. */
export async function getAudit({ objects }: Uses<"objects">, workspace: string, id: string): Promise<AuditJson> {
  const found = await objects.get(auditEntryObject.key(workspace, id));
  if (!found) throw new SvcError("audit.notFound", { id });
  return auditEntryObject.parse(found);
}
