import { SvcError } from "../../../contract/errors.ts";
import { flowBodyObject, flowHashObject, flowHistoryObject, flowListingObject, flowVersionObject } from "../../../core/flows/version.ts";
import { write } from "../../../core/objects/write.ts";
import { toIndexedFlow } from "../../../core/search/flow-source.ts";
import type { ObjectCaller } from "../../identity/permit.ts";
import { buildListingParts } from "../../objects/listing.ts";
import type { ObjectTarget } from "../../objects/path-kind.ts";
import { removeObject, unlessNotFound } from "../../objects/remove-object.ts";
import { changeObject } from "../../objects/save-object.ts";
import { retryOnConflict, type TransactionPart } from "../../outbox/commit-parts.ts";
import { buildIndexParts, buildUnindexParts } from "../../search/index-parts.ts";
import type { Uses } from "../../uses.ts";
import { findPermittedFlow, flowKind, flowObjectKey, loadFlow } from "./load.ts";

/**
 * Archives a flow or restores it. An archived flow's path is free for a new flow, and every version can still be run by its number. Throws
 * `flow.notFound`, `flow.changedMeanwhile`.
 */
export async function setFlowArchived(deps: Uses<"objects" | "storage" | "nowMs">, target: ObjectTarget, archived: boolean): Promise<void> {
  const { workspace, path } = target;
  // An archived flow is changed too, unlike by other changes.
  const kind = { ...flowKind, isArchived: undefined };
  await changeObject(deps, kind, target, async () => async (flow) => {
    if (flow.archived === archived) return undefined;
    const listing = await deps.objects.get(flowListingObject.key(workspace, path));
    return {
      value: { ...flow, archived },
      version: "kept",
      parts: [
        ...buildListingParts(listing, { archived }),
        ...(archived ? buildUnindexParts(workspace, "flow", path) : await buildRestoredParts(deps, workspace, flow)),
      ],
      event: { type: archived ? "ArchiveFlow" : "UpdateFlow", data: { path, version: flow.version } },
      sent: undefined,
    };
  });
}

/** Builds the parts that add a restored flow to the search. */
async function buildRestoredParts(
  deps: Uses<"objects" | "storage">,
  workspace: string,
  { version }: { version: number },
): Promise<TransactionPart[]> {
  const flow = await loadFlow(deps, workspace, version);
  return buildIndexParts({ workspace, kind: "flow", after: toIndexedFlow(flow) });
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
export async function deleteFlow(deps: Uses<"objects" | "storage" | "nowMs">, target: ObjectTarget): Promise<void> {
  const { objects, storage } = deps;
  const { workspace, path } = target;
  // The history is read before the head. If a version is saved between both reads, only its head is found.
  const history = (await objects.list(flowHistoryObject.partitionKey(workspace, path))).map((entry) => ({
    ...flowHistoryObject.parse(entry),
    key: { pk: entry.pk, sk: entry.sk },
  }));
  // The head is removed first. If another writer has just saved the flow, nothing is deleted, and a later save creates another flow.
  const remove = removeObject(deps, flowKind, target, async (head) => {
    if (!history.some(({ version }) => version === head.version)) throw flowKind.changed(path);
    return {
      parts: [
        { write: write.remove(flowListingObject.key(workspace, path)), refused: undefined },
        ...buildUnindexParts(workspace, "flow", path),
      ],
      event: { type: "DeleteFlow", data: { path, version: head.version } },
      sent: undefined,
    };
  });
  await unlessNotFound(remove, "flow.notFound");
  for (const { version, hash, key } of history) {
    await objects.deleteItem(flowHashObject.key(workspace, hash));
    await objects.deleteItem(flowBodyObject.key(workspace, version));
    await objects.deleteItem(flowVersionObject.key(workspace, version));
    await storage.deletePrefix(flowObjectKey(workspace, version).replace(/\.json$/, ""));
    // The history entry is removed last, so that a repeated call finds what remains of the version.
    await objects.deleteItem(key);
  }
}
