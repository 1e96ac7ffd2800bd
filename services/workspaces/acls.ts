import { randomUUID } from "node:crypto";
import { actions } from "../../contract/access/actions.ts";
import { SvcError } from "../../contract/errors.ts";
import { itemsOfKinds } from "../../core/kind-items.ts";
import { createVersion } from "../../core/objects/version.ts";
import { type ObjectKey, type ObjectWrite, write } from "../../core/objects/write.ts";
import type { Actor } from "../../core/people/actor.ts";
import { type Access, accessObject, accessObjectKey } from "../../core/permissions/access.ts";
import { may } from "../../core/permissions/may.ts";
import { domainsOfKinds } from "../../core/permissions/object-kinds.ts";
import { folderObject } from "../../core/workspaces/workspace.ts";
import type { TransactionPart } from "../outbox/commit-parts.ts";
import { buildEventWrites } from "../outbox/event.ts";
import {
  loadAppEventData,
  loadFlowEventData,
  loadResourceEventData,
  loadScriptEventData,
  loadVariableEventData,
} from "../outbox/event-data.ts";
import type { Uses } from "../uses.ts";
import { changeAccess, checkOwnerRight, checkPrincipals, checkSpace, countBytes, loadAccess } from "./access.ts";

interface AclTarget {
  workspace: string;
  kind: string;
  path: string;
}

/** Builds the event of a change of an object's permissions. */
async function buildAclEvents(deps: Uses<"objects" | "nowMs">, actor: Actor, { workspace, kind, path }: AclTarget): Promise<ObjectWrite[]> {
  const { objects } = deps;
  const base = { workspace, by: actor.username, atMs: deps.nowMs() };
  switch (kind) {
    case "script":
      return buildEventWrites(deps, { ...base, type: "UpdateScript", data: () => loadScriptEventData(objects, workspace, path) });
    case "flow":
      return buildEventWrites(deps, { ...base, type: "UpdateFlow", data: () => loadFlowEventData(objects, workspace, path) });
    case "resource":
      return buildEventWrites(deps, { ...base, type: "UpdateResource", data: () => loadResourceEventData(objects, workspace, path) });
    case "variable":
      return buildEventWrites(deps, { ...base, type: "UpdateVariable", data: () => loadVariableEventData(objects, workspace, path) });
    case "app":
      return buildEventWrites(deps, { ...base, type: "UpdateApp", data: () => loadAppEventData(objects, workspace, path) });
    case "folder":
      return buildEventWrites(deps, { ...base, type: "UpdateFolder", data: { name: path } });
    default:
      return [];
  }
}

/** Returns the key of an object by the kind of its permissions. The item with the permissions contains the groups themselves. */
const findKey = ({ workspace, kind, path }: AclTarget): ObjectKey | undefined =>
  (kind === "folder" ? folderObject : itemsOfKinds.get(kind))?.key(workspace, path);

/** Returns the extra permissions of an object. For a group, they name its administrators. Throws `access.notFound`. */
export async function getAcl({ objects }: Uses<"objects">, target: AclTarget): Promise<Record<string, boolean>> {
  const { access } = await loadAccess(objects, target.workspace);
  return getPermissions(access, target);
}

/** Grants a right on an object (`true` to write, `false` to read), or revokes it (`undefined`). Throws `access.*`. */
export async function changeAcl(
  deps: Uses<"objects" | "nowMs">,
  actor: Actor,
  target: AclTarget,
  { owner, right }: { owner: string; right: boolean | undefined },
): Promise<void> {
  checkPrincipals([owner]);
  const { objects } = deps;
  const { workspace, kind, path } = target;
  const key = findKey(target);
  // The permissions would have no effect.
  if (!key && kind !== "group_") throw new SvcError("access.notFound", { kind, path });
  const also: ObjectWrite[] = [
    ...(key ? [buildTouch(kind, key, actor, deps.nowMs())] : []),
    ...(await buildAclEvents(deps, actor, target)),
  ];
  const notThere = () => new SvcError("access.notFound", { kind, path });
  await changeAccess(
    objects,
    workspace,
    (access) => {
      const { [owner]: _, ...others } = getPermissions(access, target);
      if (kind === "folder") checkOwnerRight(access.folders[path]?.owners ?? [], owner, right);
      setPermissions(access, target, right === undefined ? others : { ...others, [owner]: right });
    },
    { by: actor, also, refused: notThere },
  );
}

/** The reply for a folder shows its permissions, so a change of them gives it a new version. Other objects only have to exist. */
const buildTouch = (kind: string, key: ObjectKey, actor: Actor, atMs: number): ObjectWrite =>
  kind === "folder" ? write.update({ ...key, ...createVersion(actor.username, atMs) }, "present") : write.check(key, "present");

function getPermissions(access: Access, { kind, path }: AclTarget): Record<string, boolean> {
  if (kind === "folder" || kind === "group_") {
    const holders: Record<string, { perms: Record<string, boolean> }> = kind === "folder" ? access.folders : access.groups;
    const holder = Object.hasOwn(holders, path) ? holders[path] : undefined;
    if (!holder) throw new SvcError("access.notFound", { kind, path });
    return holder.perms;
  }
  const key = accessObjectKey(kind, path);
  return (Object.hasOwn(access.objects, key) ? access.objects[key] : undefined) ?? {};
}

function setPermissions(access: Access, { kind, path }: AclTarget, perms: Record<string, boolean>): void {
  const holder = kind === "folder" ? access.folders[path] : kind === "group_" ? access.groups[path] : undefined;
  if (holder) holder.perms = perms;
  else if (Object.keys(perms).length > 0) access.objects[accessObjectKey(kind, path)] = perms;
  else delete access.objects[accessObjectKey(kind, path)];
}

const isSameOwner = (a: string, b: string) => ownerPartOf(a) === ownerPartOf(b);
const ownerPartOf = (path: string) => path.split("/").slice(0, 2).join("/");
/** A token that may move the object needs no scope for permissions. */
const mayGrant = (actor: Actor, target: AclTarget) =>
  may(actor, { ...actions.grantAccess.access, domain: domainsOfKinds[target.kind] ?? "acls" }, target);

/** The caller who moves an object, and its new path. */
export interface AclMove {
  actor: Actor;
  to: string;
}

/**
 * Builds the part of a transaction that moves an object's extra permissions to another path, or removes them. Into another folder or the
 * space of another user they move only if the caller owns the object there: otherwise the caller would grant rights in it. If another writer
 * changes the rights of the workspace, the part is refused and the caller reads again. Throws `access.tooMuch` for a longer path without space.
 */
export async function buildAclPart(
  { objects }: Uses<"objects">,
  { workspace, kind, path }: AclTarget,
  move?: AclMove,
): Promise<TransactionPart> {
  const to = move && (isSameOwner(path, move.to) || mayGrant(move.actor, { workspace, kind, path: move.to })) ? move.to : undefined;
  const { access, version } = await loadAccess(objects, workspace);
  const key = accessObject.key(workspace);
  const unchanged = version === undefined ? ("absent" as const) : { version };
  if (!Object.hasOwn(access.objects, accessObjectKey(kind, path))) return { write: write.check(key, unchanged), refused: undefined };
  const { [accessObjectKey(kind, path)]: perms = {}, ...others } = access.objects;
  const moved = { ...access, objects: to === undefined ? others : { ...others, [accessObjectKey(kind, to)]: perms } };
  if (move) checkSpace(move.actor, workspace, { before: countBytes(access), after: countBytes(moved) });
  return { write: write.put({ ...key, value: moved, version: randomUUID() }, unchanged), refused: undefined };
}
