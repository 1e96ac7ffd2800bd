import { randomUUID } from "node:crypto";
import { SvcError } from "../../contract/errors.ts";
import type { HttpFields } from "../../contract/routes/triggers/http-fields.ts";
import { findTextPrefix, toHttpRouteAddress } from "../../core/http-routes/address.ts";
import { httpRouteFailuresObject } from "../../core/http-routes/failures.ts";
import {
  areTooLarge,
  findConflict,
  type HttpRouteEntry,
  httpRoutesAtObject,
  toHttpRouteEntry,
} from "../../core/http-routes/route-entries.ts";
import { instanceSettingObject } from "../../core/objects/setting.ts";
import { type StoredObject, unchangedSince, write } from "../../core/objects/write.ts";
import type { WorkspaceCaller } from "../../core/people/actor.ts";
import { ONLY_WORKSPACED_ROUTES } from "../../core/settings/instance.ts";
import { type StoredTrigger, triggerObject } from "../../core/triggers/trigger.ts";
import type { ObjectStore } from "../../ports/object-store.ts";
import { commitParts, retryOnConflict, type TransactionPart } from "../outbox/commit-parts.ts";

type Reader = Pick<ObjectStore, "get" | "batchGet">;

const parseEntries = (found: StoredObject | undefined): HttpRouteEntry[] => (found ? httpRoutesAtObject.parse(found).routes : []);

/**
 * Builds the parts that move a route from its old address to its new one, in the items by which requests find it. Throws
 * `trigger.needsAdmin`, `trigger.needsSuperadmin`, `trigger.routeTaken`, `trigger.tooManyRoutes`. For other kinds of triggers there are none.
 */
export async function buildHttpRouteParts(
  objects: Reader,
  caller: WorkspaceCaller,
  before: StoredTrigger | undefined,
  after: StoredTrigger | undefined,
): Promise<TransactionPart[]> {
  if ((before ?? after)?.kind !== "http") return [];
  const { workspace } = caller;
  if (after) await requireMayPlace(objects, caller, before?.own as HttpFields | undefined, after.own as HttpFields);
  const old = before && toHttpRouteEntry(workspace, before);
  const now = after && toHttpRouteEntry(workspace, after);
  if (JSON.stringify(old) === JSON.stringify(now)) return [];
  const prefixes = [...new Set([old, now].flatMap((entry) => (entry ? [findTextPrefix(entry)] : [])))];
  const found = await objects.batchGet(
    prefixes.map((prefix) => httpRoutesAtObject.key(prefix)),
    { consistent: true },
  );
  const parts = prefixes.map((prefix, index) => {
    const stored = found[index];
    const entries = parseEntries(stored);
    const others = entries.filter(({ id }) => id !== (old ?? now)?.id);
    if (!now || findTextPrefix(now) !== prefix) return replaceEntries(prefix, stored, others);
    requireFree(caller, others, now);
    const all = [...others, now].sort((a, b) => (`${a.address} ${a.method}` < `${b.address} ${b.method}` ? -1 : 1));
    if (areTooLarge(all)) throw new SvcError("trigger.tooManyRoutes", { prefix });
    return replaceEntries(prefix, stored, all);
  });
  const failures = after || !before ? [] : [{ write: write.remove(httpRouteFailuresObject.key(workspace, before.id)), refused: undefined }];
  return [...parts.flat(), ...failures];
}

function replaceEntries(prefix: string, stored: StoredObject | undefined, routes: HttpRouteEntry[]): TransactionPart[] {
  const key = httpRoutesAtObject.key(prefix);
  const expect = stored ? unchangedSince(stored) : ("absent" as const);
  if (routes.length > 0) {
    return [{ write: write.put({ ...key, value: { routes }, version: randomUUID() }, expect), refused: undefined }];
  }
  return stored ? [{ write: write.remove(key, expect), refused: undefined }] : [];
}

/** A folder answers its own address and all addresses below it, so routes with different prefixes can collide only if one of them is a folder. */
function requireFree({ actor, workspace }: WorkspaceCaller, others: readonly HttpRouteEntry[], entry: HttpRouteEntry): void {
  const taken = findConflict(others, entry);
  if (!taken) return;
  // The same request to create the route arrives a second time.
  if (taken.workspace === workspace && taken.path === entry.path) throw new SvcError("trigger.exists", { path: entry.path });
  const isShown = taken.workspace === workspace || actor.superAdmin;
  const { address } = entry;
  const method = entry.method.toUpperCase();
  throw new SvcError("trigger.routeTaken", { method, address, ...(isShown ? { path: taken.path } : {}) });
}

/** Requires the rights to place a route at an address. A user who may write the trigger may change its other fields. */
async function requireMayPlace(
  objects: Reader,
  { actor, workspace }: WorkspaceCaller,
  before: HttpFields | undefined,
  after: HttpFields,
): Promise<void> {
  const isPlaced = before && JSON.stringify(toHttpRouteAddress(workspace, before)) === JSON.stringify(toHttpRouteAddress(workspace, after));
  if (isPlaced && before.workspaced_route === after.workspaced_route) return;
  const isAdmin = actor.superAdmin || (actor.rights?.workspace === workspace && actor.rights.role === "admin");
  if (!isAdmin) throw new SvcError("trigger.needsAdmin", {});
  if (after.workspaced_route) return;
  if (!actor.superAdmin) throw new SvcError("trigger.needsSuperadmin", { isForbidden: false });
  const setting = await objects.get(instanceSettingObject.key(ONLY_WORKSPACED_ROUTES));
  if (setting?.value === true) throw new SvcError("trigger.needsSuperadmin", { isForbidden: true });
}

/** Returns whether a route other than `trigger_path` of the workspace has an address. */
export async function httpRouteExists(
  objects: Reader,
  workspace: string,
  route: Pick<HttpFields, "route_path" | "http_method"> & {
    workspaced_route?: boolean | null | undefined;
    trigger_path?: string | null | undefined;
  },
): Promise<boolean> {
  const fields = { ...route, workspaced_route: route.workspaced_route === true, is_static_website: false };
  const address = toHttpRouteAddress(workspace, fields);
  const others = parseEntries(await objects.get(httpRoutesAtObject.key(findTextPrefix(address))));
  const counted = others.filter((other) => other.workspace !== workspace || other.path !== route.trigger_path);
  return findConflict(counted, { ...address, workspace, id: "" }) !== undefined;
}

/** Removes the addresses of a deleted workspace, so that other workspaces can use them. Idempotent. */
export async function removeHttpRoutes(objects: ObjectStore, workspace: string): Promise<void> {
  for (const trigger of triggerObject.parseReadable(await objects.list(triggerObject.partitionKey(workspace, "http")))) {
    const prefix = findTextPrefix(toHttpRouteEntry(workspace, trigger));
    await retryOnConflict(
      async () => {
        const found = await objects.get(httpRoutesAtObject.key(prefix));
        const parts = replaceEntries(
          prefix,
          found,
          parseEntries(found).filter((entry) => entry.workspace !== workspace),
        );
        return parts.length === 0 || (await commitParts(objects, parts)) ? { done: undefined } : undefined;
      },
      () => new SvcError("trigger.changedMeanwhile", { path: trigger.path }),
    );
  }
}
