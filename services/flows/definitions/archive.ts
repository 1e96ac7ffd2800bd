import type { ObjectTable } from "../../../aws/dynamodb/object-table.ts";
import type { Storage } from "../../../aws/s3/storage.ts";
import { SvcError } from "../../../contract/errors.ts";
import { keys } from "../../../core/objects/keys.ts";
import { write } from "../../../core/objects/write.ts";
import type { Actor, WorkspaceCaller } from "../../../core/people/actor.ts";
import { retryOnConflict } from "../../outbox/commit-parts.ts";
import { buildEventWrite } from "../../outbox/event.ts";
import { flowObjectKey, parseFlow, requireFlowVersion } from "./load.ts";

interface ArchiveFlowDeps {
  objects: ObjectTable;
  storage: Storage;
  nowMs: () => number;
}

/** An archived flow's path runs no more and is free for a new one; every version stays and runs by its number. Throws `flow.notFound`. */
export async function setFlowArchived(
  { objects, nowMs }: ArchiveFlowDeps,
  { actor, workspace }: WorkspaceCaller,
  path: string,
  archived: boolean,
): Promise<void> {
  const [flow, listing] = await Promise.all([
    objects.get(keys.flowHead(workspace, path)).then(parseFlow),
    objects.get(keys.flowListing(workspace, path)),
  ]);
  if (!flow) throw new SvcError("flow.notFound", { path });
  if (flow.archived === archived) return;
  const { build, ...value } = flow;
  const refused = await objects.transact([
    write.update({ ...keys.flowHead(workspace, path), value: { ...value, archived } }, { version: String(flow.version) }),
    ...(listing ? [write.put({ ...listing, value: { ...(listing.value as object), archived } }, "present")] : []),
    buildEventWrite({ type: archived ? "ArchiveFlow" : "UpdateFlow", workspace, object: path, by: actor.username, atMs: nowMs() }),
  ]);
  if (refused !== undefined) throw new SvcError("flow.changedMeanwhile", { path });
}

/** Sets the message of a version. Throws `flow.versionNotFound`. */
export async function setFlowMessage({ objects }: ArchiveFlowDeps, workspace: string, version: number, message: string): Promise<void> {
  const changed = async () => {
    const { path } = requireFlowVersion(await objects.get(keys.flowVersion(workspace, version)), version);
    const entry = await objects.get(keys.flowHistory(workspace, path, version));
    const { message: _, ...value } = (entry?.value ?? {}) as { message?: string };
    const next = { ...value, ...(message === "" ? {} : { message }) };
    const done = await objects.update({ ...keys.flowHistory(workspace, path, version), value: next }, "present");
    return done ? { done: undefined } : undefined;
  };
  await retryOnConflict(changed, () => new SvcError("flow.versionNotFound", { version: String(version) }));
}

/** Deletes a flow with all versions saved at its path. What fails halfway is taken up by calling it again; one that is gone is no error. */
export async function deleteFlow(
  { objects, storage, nowMs }: ArchiveFlowDeps,
  actor: Actor,
  workspace: string,
  path: string,
): Promise<void> {
  const head = parseFlow(await objects.get(keys.flowHead(workspace, path)));
  const history = await objects.list(keys.flowHistory(workspace, path, 0).pk);
  // The flow goes first: where somebody has saved it meanwhile, nothing of it is gone, and what is saved from now on is another flow's.
  if (head) {
    const refused = await objects.transact([
      write.remove(keys.flowHead(workspace, path), { version: String(head.version) }),
      write.remove(keys.flowListing(workspace, path)),
      buildEventWrite({ type: "DeleteFlow", workspace, object: path, by: actor.username, atMs: nowMs() }),
    ]);
    if (refused !== undefined) throw new SvcError("flow.changedMeanwhile", { path });
  }
  for (const { value, pk, sk } of history) {
    const { version, hash } = value as { version: number; hash: string };
    await objects.remove(keys.flowHash(workspace, hash));
    await objects.remove(keys.flowBody(workspace, version));
    await objects.remove(keys.flowVersion(workspace, version));
    await storage.removePrefix(flowObjectKey(workspace, version).replace(/\.json$/, ""));
    // Until it goes, a call that comes again finds what is left of its version.
    await objects.remove({ pk, sk });
  }
}
