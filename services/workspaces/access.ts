import { randomUUID } from "node:crypto";
import { actions } from "../../contract/access/actions.ts";
import { SvcError } from "../../contract/errors.ts";
import { type ObjectWrite, write } from "../../core/objects/write.ts";
import type { Actor } from "../../core/people/actor.ts";
import { type Access, accessObject } from "../../core/permissions/access.ts";
import { may } from "../../core/permissions/may.ts";
import { folderObject } from "../../core/workspaces/workspace.ts";
import type { ObjectStore } from "../../ports/object-store.ts";

const TRIES = 12;
const PAUSE_MS = 40;

/** Loads the access rights of a workspace. If they have not changed since release 0.1, they are stored in its folders. */
export async function loadAccess(objects: ObjectStore, workspace: string): Promise<{ access: Access; version: string | undefined }> {
  const found = await objects.get(accessObject.key(workspace));
  if (found) return { access: accessObject.parse(found), version: found.version };
  const folders = folderObject.parseReadable(await objects.list(folderObject.partitionKey(workspace)));
  const of = folders.map(({ name, owners, extra_perms: perms }) => [name, { owners, perms }]);
  return { access: { groups: {}, folders: Object.fromEntries(of), objects: {} }, version: undefined };
}

/**
 * Creates the item of a workspace's access rights if release 0.1 stored them in the folders. Release 0.1 had only superadmins, who need no
 * rights, so every other member needs this item.
 */
export async function ensureAccess(objects: ObjectStore, workspace: string): Promise<void> {
  const { access, version } = await loadAccess(objects, workspace);
  if (version === undefined) await objects.put({ ...accessObject.key(workspace), value: access, version: randomUUID() }, "absent");
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
  for (let tries = 0; tries < TRIES; tries += 1) {
    const { access, version } = await loadAccess(objects, workspace);
    const before = countBytes(access);
    change(access);
    checkSpace(by, workspace, { before, after: countBytes(access) });
    const changed = write.put(
      { ...accessObject.key(workspace), value: access, version: randomUUID() },
      version === undefined ? "absent" : { version },
    );
    const failed = await objects.transactWrite([...also, changed]);
    if (failed === undefined) return;
    if (failed < also.length) throw refused(failed);
    // Another writer was first. A random pause spreads the retries.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * PAUSE_MS * (tries + 1)));
  }
  throw new SvcError("access.changedMeanwhile", {});
}

/** Throws `access.tooMuch` if rights that have grown take more space than the caller may use. */
export function checkSpace(by: Actor | "bounded", workspace: string, { before, after }: Record<"before" | "after", number>): void {
  const isAdmin = by === "bounded" || may(by, actions.updateMember.access, { workspace });
  if (after > (isAdmin ? MAX_BYTES : MAX_BYTES_OF_MEMBERS) && after > before) throw new SvcError("access.tooMuch", {});
}

/** Returns the stored size of a workspace's access rights. */
export const countBytes = (access: Access) => Buffer.byteLength(JSON.stringify(access));
