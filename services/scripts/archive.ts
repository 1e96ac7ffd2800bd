import { defined } from "../../contract/defined.ts";
import { isSvcError, SvcError } from "../../contract/errors.ts";
import type { EventData } from "../../contract/events.ts";
import type { ScriptJson } from "../../contract/routes/stored/script.ts";
import { type ObjectKey, type ObjectWrite, write } from "../../core/objects/write.ts";
import {
  type Runnable,
  type StoredVersion,
  scriptBodyObject,
  scriptHeadObject,
  scriptHistoryObject,
  scriptListingObject,
  scriptLockObject,
  scriptVersionObject,
  toScriptJson,
} from "../../core/scripts/version.ts";
import type { ObjectCaller } from "../identity/permit.ts";
import { buildListingParts } from "../objects/listing.ts";
import type { ObjectTarget } from "../objects/path-kind.ts";
import { removeObject, unlessNotFound } from "../objects/remove-object.ts";
import { changeObject } from "../objects/save-object.ts";
import { commitParts, retryOnConflict, type TransactionPart } from "../outbox/commit-parts.ts";
import { buildEventParts, buildEventWrites } from "../outbox/event.ts";
import { loadScriptEventData, toScriptEventData } from "../outbox/event-data.ts";
import { buildUnindexParts } from "../search/index-parts.ts";
import type { Uses } from "../uses.ts";
import {
  findPermittedScript,
  loadScriptVersion,
  parseScript,
  permitScriptVersion,
  requireScriptVersion,
  scriptKind,
  scriptObjectKey,
} from "./load.ts";
import { loadScriptJson } from "./read.ts";

/**
 * Archives a script. Its path is free for a new script, and every version can still be run by its hash. Throws `script.notFound`,
 * `script.changedMeanwhile`.
 */
export async function archiveScript(deps: Uses<"objects" | "storage" | "nowMs">, target: ObjectTarget): Promise<void> {
  const { workspace, path } = target;
  await changeObject(deps, scriptKind, target, async () => async (head) => {
    const archived = { ...head, archived: true };
    const item = { ...scriptVersionObject.key(workspace, head.hash), value: archived };
    const listing = await deps.objects.get(scriptListingObject.key(workspace, path));
    return {
      value: archived,
      version: "kept",
      parts: [
        { write: write.update(item, { version: head.hash }), refused: undefined },
        ...buildListingParts(listing, { archived: true }),
        ...buildUnindexParts(workspace, "script", path),
      ],
      event: { type: "DeleteScript", data: async () => toScriptEventData(path, listing) },
      sent: undefined,
    };
  });
}

/**
 * Archives the script whose newest version has this hash, and returns the version. Throws `script.versionNotFound`, also for a version that
 * is not the newest, and as `archiveScript` does.
 */
export async function archiveScriptVersion(
  deps: Uses<"objects" | "storage" | "nowMs">,
  caller: ObjectCaller,
  hash: string,
): Promise<ScriptJson> {
  const { actor, workspace } = caller;
  const { path } = await findPermittedScript(deps, caller, hash);
  const newest = parseScript(await deps.objects.get(scriptHeadObject.key(workspace, path)));
  if (newest?.hash !== hash) throw new SvcError("script.versionNotFound", { hash });
  try {
    await archiveScript(deps, { actor, workspace, path, expected: [hash] });
  } catch (error) {
    // Another version was saved after the read of the head.
    if (isSvcError(error) && error.code === "object.versionChanged") throw new SvcError("script.versionNotFound", { hash });
    throw error;
  }
  return loadScriptJson(deps, requireScriptVersion(await deps.objects.get(scriptVersionObject.key(workspace, hash)), hash));
}

/**
 * Deletes a script with all versions saved at its path. If it fails halfway, another call completes it. Throws `script.notFound`,
 * `script.changedMeanwhile`.
 */
export async function deleteScript(deps: Uses<"objects" | "storage" | "nowMs">, target: ObjectTarget): Promise<void> {
  const { objects } = deps;
  const { actor, workspace, path } = target;
  // The history is read before the head. A version that is saved in between is then missing here, and its content is not erased.
  const history = (await objects.list(scriptHistoryObject.partitionKey(workspace, path))).map((entry) => ({
    hash: scriptHistoryObject.parse(entry).hash,
    key: { pk: entry.pk, sk: entry.sk },
  }));
  const last = history.at(-1)?.hash;
  const data = async () => (await loadScriptEventData(objects, workspace, path)) ?? { path };
  // The head is removed first. If another writer has just saved the script, nothing is erased.
  const remove = removeObject(deps, scriptKind, target, async ({ hash: newest }) => {
    if (last === undefined || !history.some(({ hash }) => hash === newest)) throw scriptKind.changed(path);
    return {
      parts: [
        { write: write.remove(scriptListingObject.key(workspace, path)), refused: undefined },
        ...buildUnindexParts(workspace, "script", path),
        ...(await buildErasureParts(deps, workspace, last)),
      ],
      event: { type: "DeleteScriptPath", data },
      sent: undefined,
    };
  });
  if (!(await unlessNotFound(remove, "script.notFound"))) {
    if (last === undefined) throw scriptKind.notFound(path);
    // After a rename, older versions without a head remain at the path.
    await eraseVersion(deps, { workspace, path, hash: last }, () =>
      buildEventParts(deps, { type: "DeleteScriptPath", workspace, by: actor.username, atMs: deps.nowMs(), data }),
    );
  }
  await eraseHistory(deps, target, history);
}

interface HistoryEntry {
  hash: string;
  key: ObjectKey;
}

/**
 * Erases the versions of a script whose head was removed. A version's entry in the history is removed after its content, and the last one at the
 * end, so that a repeated call finds what remains.
 */
async function eraseHistory(
  deps: Uses<"objects" | "storage">,
  { workspace, path }: Pick<ObjectTarget, "workspace" | "path">,
  history: readonly HistoryEntry[],
): Promise<void> {
  for (const { hash, key } of history) {
    await eraseVersion(deps, { workspace, path, hash });
    await deps.storage.deleteObject(scriptObjectKey(workspace, hash));
    await deps.objects.deleteItem(key);
  }
}

/** Erases the content of a version in one transaction with the parts that `buildParts` returns. Does nothing if it was erased before. */
async function eraseVersion(
  deps: Uses<"objects" | "storage">,
  { workspace, path, hash }: Pick<Runnable, "workspace" | "path" | "hash">,
  buildParts: () => Promise<TransactionPart[]> = async () => [],
): Promise<void> {
  await retryOnConflict(
    async () => {
      const erasure = await buildErasureParts(deps, workspace, hash);
      const isDone = erasure.length === 0 || (await commitParts(deps.objects, [...erasure, ...(await buildParts())]));
      return isDone ? { done: undefined } : undefined;
    },
    () => scriptKind.changed(path),
  );
}

/** Builds the parts that erase the content of a version, or none if it was erased before. */
async function buildErasureParts(deps: Uses<"objects" | "storage">, workspace: string, hash: string): Promise<TransactionPart[]> {
  const version = parseScript(await deps.objects.get(scriptVersionObject.key(workspace, hash)));
  if (!version || version.deleted) return [];
  const writes = buildErasureWrites(version, await loadScriptVersion(deps, workspace, hash));
  return writes.map((write) => ({ write, refused: undefined }));
}

/**
 * Erases one version's content and returns the version; a record without content remains. If it is the newest version, its path becomes
 * free. Throws `script.versionNotFound`, and `script.changedMeanwhile` if another writer was first.
 */
export async function deleteScriptVersion(
  deps: Uses<"objects" | "storage" | "nowMs">,
  caller: ObjectCaller,
  hash: string,
): Promise<ScriptJson> {
  const { objects, storage } = deps;
  const { actor, workspace } = caller;
  const found = parseScript(await objects.get(scriptVersionObject.key(workspace, hash)));
  if (found) permitScriptVersion(caller, found);
  // An earlier call may have died before it removed the object, so a repeated call removes it.
  if (found?.deleted) await storage.deleteObject(scriptObjectKey(workspace, hash));
  if (!found || found.deleted) throw new SvcError("script.versionNotFound", { hash });
  const { path } = found;
  const [version, newest] = await Promise.all([
    loadScriptVersion(deps, workspace, hash),
    objects.get(scriptHeadObject.key(workspace, path)),
  ]);
  const head = parseScript(newest);
  const refused = await objects.transactWrite([
    ...buildErasureWrites(found, version),
    ...(head?.hash === hash
      ? [
          write.update({ ...scriptHeadObject.key(workspace, path), value: toDeletedHead(head) }, { version: hash }),
          write.remove(scriptListingObject.key(workspace, path)),
          ...buildUnindexParts(workspace, "script", path).map((part) => part.write),
        ]
      : []),
    ...(await buildEventWrites(deps, {
      type: "DeleteScript",
      workspace,
      by: actor.username,
      atMs: deps.nowMs(),
      data: buildEventData(found, version),
    })),
  ]);
  if (refused !== undefined) {
    requireScriptVersion(await objects.get(scriptVersionObject.key(workspace, hash)), hash);
    throw new SvcError("script.changedMeanwhile", { path });
  }
  await storage.deleteObject(scriptObjectKey(workspace, hash));
  return toScriptJson(withoutContent(version), { ...found, archived: true, deleted: true }, {});
}

function buildEventData({ path, hash, language }: Runnable, { parentHashes: [parent], sent }: StoredVersion): EventData<"DeleteScript"> {
  return { path, hash, ...defined({ parent_hash: parent }), language, kind: sent.kind ?? "script" };
}

/** Returns a head's value after its version was deleted. */
function toDeletedHead({ build, ...value }: Runnable): Omit<Runnable, "build"> {
  return { ...value, archived: true, deleted: true };
}

const withoutContent = ({ bundle: _, ...version }: StoredVersion): StoredVersion => ({
  ...version,
  sent: { ...version.sent, content: "", lock: null, modules: null },
});

/** Marks the erased fields of a version, so that only one of several concurrent calls erases them. */
const ERASED = "erased";

/** Builds the writes that erase a version's content. An object in S3 is removed afterwards. */
function buildErasureWrites(runnable: Runnable, version: StoredVersion): ObjectWrite[] {
  const { workspace, hash } = runnable;
  return [
    write.put(
      { ...scriptBodyObject.key(workspace, hash), value: { json: JSON.stringify(withoutContent(version)) }, version: ERASED },
      "unversioned",
    ),
    write.remove(scriptLockObject.key(workspace, hash)),
    write.update({ ...scriptVersionObject.key(workspace, hash), value: toDeletedHead(runnable) }, { version: hash }),
  ];
}
