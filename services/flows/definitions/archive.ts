import { randomUUID } from "node:crypto";
import { SvcError } from "../../../contract/errors.ts";
import {
  flowBodyObject,
  flowHashObject,
  flowHeadObject,
  flowHistoryObject,
  flowListingObject,
  flowVersionObject,
} from "../../../core/flows/version.ts";
import { requireVersion } from "../../../core/objects/version.ts";
import { unchangedSince, write } from "../../../core/objects/write.ts";
import type { ObjectCaller } from "../../identity/permit.ts";
import type { ObjectTarget } from "../../objects/path-kind.ts";
import { retryOnConflict } from "../../outbox/commit-parts.ts";
import { buildEventWrites } from "../../outbox/event.ts";
import type { Uses } from "../../uses.ts";
import { deleteAcl } from "../../workspaces/acls.ts";
import { findPermittedFlow, flowObjectKey, parseFlow } from "./load.ts";

/**
 * Archives a flow or restores it. An archived flow's path is free for a new flow, and every version can still be run by its number. Throws
 * `flow.notFound`, `flow.changedMeanwhile`.
 */
export async function setFlowArchived(
  deps: Uses<"objects" | "storage" | "nowMs">,
  { actor, workspace, path, expected }: ObjectTarget,
  archived: boolean,
): Promise<void> {
  const { objects } = deps;
  const [found, listing] = await Promise.all([
    objects.get(flowHeadObject.key(workspace, path)),
    objects.get(flowListingObject.key(workspace, path)),
  ]);
  const flow = parseFlow(found);
  if (!found || !flow) throw new SvcError("flow.notFound", { path });
  requireVersion(found, { path, expected });
  if (flow.archived === archived) return;
  const { build, ...value } = flow;
  const refused = await objects.transactWrite([
    write.update({ ...flowHeadObject.key(workspace, path), value: { ...value, archived } }, { version: String(flow.version) }),
    // The head's version does not change, so the version of the listing decides which of several concurrent calls archives the flow.
    ...(listing
      ? [write.put({ ...listing, value: { ...(listing.value as object), archived }, version: randomUUID() }, unchangedSince(listing))]
      : []),
    ...(await buildEventWrites(deps, {
      type: archived ? "ArchiveFlow" : "UpdateFlow",
      workspace,
      by: actor.username,
      atMs: deps.nowMs(),
      data: { path, version: flow.version },
    })),
  ]);
  if (refused !== undefined) throw new SvcError("flow.changedMeanwhile", { path });
}

/** Sets the message of a version and returns the flow's path. Throws `flow.versionNotFound`. */
export async function setFlowMessage(
  { objects }: Uses<"objects">,
  caller: ObjectCaller,
  version: number,
  message: string,
): Promise<string> {
  const { workspace } = caller;
  const { path } = await findPermittedFlow({ objects }, caller, version);
  const changed = async () => {
    const entry = await objects.get(flowHistoryObject.key(workspace, path, version));
    const { message: _, ...value } = (entry?.value ?? {}) as { message?: string };
    const next = { ...value, ...(message === "" ? {} : { message }) };
    const done = await objects.update({ ...flowHistoryObject.key(workspace, path, version), value: next }, "present");
    return done ? { done: undefined } : undefined;
  };
  await retryOnConflict(changed, () => new SvcError("flow.versionNotFound", { version: String(version) }));
  return path;
}

/**
 * Deletes a flow with all versions saved at its path. If it fails halfway, another call completes it; deleting a missing flow is not an error.
 * Throws `flow.changedMeanwhile`.
 */
export async function deleteFlow(
  deps: Uses<"objects" | "storage" | "nowMs">,
  { actor, workspace, path, expected }: ObjectTarget,
): Promise<void> {
  const { objects, storage } = deps;
  const found = expected && (await objects.get(flowHeadObject.key(workspace, path)));
  if (found) requireVersion(found, { path, expected });
  // Extra permissions are deleted first: if the rest fails, no user has gained a right.
  await deleteAcl({ objects }, { workspace, kind: "flow", path });
  // The history is read before the head. If a version is saved between both reads, only its head is found.
  const history = (await objects.list(flowHistoryObject.partitionKey(workspace, path))).map((entry) => ({
    ...flowHistoryObject.parse(entry),
    key: { pk: entry.pk, sk: entry.sk },
  }));
  const stored = await objects.get(flowHeadObject.key(workspace, path));
  const head = parseFlow(stored);
  // Between the two reads, another writer may have saved the flow.
  if (stored) requireVersion(stored, { path, expected });
  if (head && !history.some(({ version }) => version === head.version)) throw new SvcError("flow.changedMeanwhile", { path });
  // The head is removed first. If another writer has just saved the flow, nothing is deleted, and a later save creates another flow.
  if (head) {
    const refused = await objects.transactWrite([
      write.remove(flowHeadObject.key(workspace, path), { version: String(head.version) }),
      write.remove(flowListingObject.key(workspace, path)),
      ...(await buildEventWrites(deps, {
        type: "DeleteFlow",
        workspace,
        by: actor.username,
        atMs: deps.nowMs(),
        data: { path, version: head.version },
      })),
    ]);
    if (refused !== undefined) throw new SvcError("flow.changedMeanwhile", { path });
  }
  for (const { version, hash, key } of history) {
    await objects.deleteItem(flowHashObject.key(workspace, hash));
    await objects.deleteItem(flowBodyObject.key(workspace, version));
    await objects.deleteItem(flowVersionObject.key(workspace, version));
    await storage.deletePrefix(flowObjectKey(workspace, version).replace(/\.json$/, ""));
    // The history entry is removed last, so that a repeated call finds what remains of the version.
    await objects.deleteItem(key);
  }
}
