import { randomUUID } from "node:crypto";
import { actions } from "../../contract/access/actions.ts";
import { SvcError } from "../../contract/errors.ts";
import { type ObjectWrite, write } from "../../core/objects/write.ts";
import type { Actor } from "../../core/people/actor.ts";
import { type Access, accessObject, isPrincipal, noAccess } from "../../core/permissions/access.ts";
import { may } from "../../core/permissions/may.ts";
import type { ObjectStore } from "../../ports/object-store.ts";
import { pauseAfterConflict, retryOnConflict, SHARED_ITEM_TRIES, type TransactionPart } from "../outbox/commit-parts.ts";

/** Loads the access rights of a workspace. A workspace that does not exist has none. */
export async function loadAccess(objects: ObjectStore, workspace: string): Promise<{ access: Access; version: string | undefined }> {
  const found = await objects.get(accessObject.key(workspace));
  if (found) return { access: accessObject.parse(found), version: found.version };
  // The caller may change it.
  return { access: structuredClone(noAccess), version: undefined };
}

interface AccessChangeOptions {
  /** The caller, whose role decides how much space the rights may take. `bounded`: the change adds a few bytes at most. */
  by: Actor | "bounded";
  also?: ObjectWrite[];
  refused?: (part: number) => Error;
}

/** A DynamoDB item has at most 400 KB. A part of it is reserved for admins, so that other members cannot use up the space. */
const MAX_BYTES = 350 * 1024;
const MAX_BYTES_OF_MEMBERS = 250 * 1024;

/**
 * Changes a workspace's access rights and applies `also` in the same transaction. `change` modifies a copy and may throw. `refused` returns the
 * error for the part of `also` whose condition did not hold. Concurrent changes are retried. Throws `access.tooMuch`, but never for a change that
 * reduces the rights, and `access.changedMeanwhile`.
 */
export async function changeAccess(
  objects: ObjectStore,
  workspace: string,
  change: (access: Access) => void,
  { by, also = [], refused = () => new SvcError("access.changedMeanwhile", {}) }: AccessChangeOptions,
): Promise<void> {
  const changeOnce = async (earlier: number) => {
    const part = await buildAccessPart(objects, workspace, change, by);
    const failed = await objects.transactWrite([...also, part.write]);
    if (failed === undefined) return { done: undefined };
    if (failed < also.length) throw refused(failed);
    await pauseAfterConflict(earlier);
    return undefined;
  };
  await retryOnConflict(changeOnce, () => new SvcError("access.changedMeanwhile", {}), SHARED_ITEM_TRIES);
}

/**
 * Builds the part of a transaction that changes a workspace's access rights. `change` modifies a copy and may throw. If another writer changes the
 * rights, the part is refused and the caller reads again. Throws `access.tooMuch`, but never for a change that reduces the rights.
 */
export async function buildAccessPart(
  objects: ObjectStore,
  workspace: string,
  change: (access: Access) => void,
  by: AccessChangeOptions["by"],
): Promise<TransactionPart> {
  const { access, version } = await loadAccess(objects, workspace);
  const before = countBytes(access);
  change(access);
  checkSpace(by, workspace, { before, after: countBytes(access) });
  const item = { ...accessObject.key(workspace), value: access, version: randomUUID() };
  return { write: write.put(item, version === undefined ? "absent" : { version }), refused: undefined };
}

/** Throws `access.tooMuch` if rights that have grown take more space than the caller may use. */
export function checkSpace(by: Actor | "bounded", workspace: string, { before, after }: Record<"before" | "after", number>): void {
  const isAdmin = by === "bounded" || may(by, actions.updateMember.access, { workspace });
  if (after > (isAdmin ? MAX_BYTES : MAX_BYTES_OF_MEMBERS) && after > before) throw new SvcError("access.tooMuch", {});
}

/** Returns the stored size of a workspace's access rights. */
export const countBytes = (access: Access) => Buffer.byteLength(JSON.stringify(access));

/** Throws `access.owner` for a name that is neither `u/<username>` nor `g/<group>`. */
export function checkPrincipals(owners: readonly string[]): void {
  for (const owner of owners) if (!isPrincipal(owner)) throw new SvcError("access.owner", { owner });
}

/** Owners of a folder may write in it, so a right to read (`false`) would have no effect. Throws `body.shape`. */
export function checkOwnerRight(owners: readonly string[], owner: string, right: boolean | undefined): void {
  if (right !== false || !owners.includes(owner)) return;
  const reason = `gives ${owner} the right to read only, but ${owner} owns the folder. Remove it from the owners, or give it the right to write`;
  throw new SvcError("body.shape", { issues: [{ path: "extra_perms", reason }] });
}
