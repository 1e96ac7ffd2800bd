import { placeOf } from "../files/file-place.ts";
import type { FileMap } from "../files/layout.ts";
import { hashItem, isResolved, type LocalItem, listSources, ownerOf } from "./item-sources.ts";
import { isKeyOf, type LockHashes } from "./lock-file.ts";
import type { StaleItem } from "./stale-items.ts";

/** Returns the recorded hashes with the current ones of an item. `files`: all files of the project. */
export const recordItem = (hashes: LockHashes, local: LocalItem, files: FileMap): Map<string, string> =>
  new Map([...forgetItem(hashes, local), ...hashItem(local, files)]);

/** Returns the recorded hashes without those of an item. */
export function forgetItem(hashes: LockHashes, local: LocalItem): Map<string, string> {
  const owner = ownerOf(local);
  return new Map([...hashes].filter(([key]) => !isKeyOf(key, owner)));
}

/**
 * Returns the recorded hashes with those of items that have none although their locks are the workspace's. `synchronised`: the items that have
 * not changed since the last synchronisation. An empty lock of a script does not count, because the service may not have resolved it yet.
 */
export function adoptHashes(hashes: LockHashes, synchronised: readonly LocalItem[], files: FileMap): LockHashes {
  const isLocked = (local: LocalItem) =>
    isResolved(local) && (local.item.kind !== "script" || listSources(local).every(({ lock, mayHaveLock }) => lock || !mayHaveLock));
  const unrecorded = synchronised.filter((local) => isLocked(local) && [...hashItem(local, files).keys()].every((key) => !hashes.has(key)));
  return unrecorded.reduce((all, local) => recordItem(all, local, files), hashes);
}

/**
 * Returns the recorded hashes without those of stale sources that have not changed themselves. Such a source imports a changed script, whose hash
 * becomes valid when that script is generated; nothing else would show that the source is still stale.
 */
export function forgetUnchanged(hashes: LockHashes, stale: readonly StaleItem[]): Map<string, string> {
  const forgotten = new Set(stale.flatMap(({ sources }) => sources.flatMap(({ key, isRecorded }) => (isRecorded ? [key] : []))));
  return new Map([...hashes].filter(([key]) => !forgotten.has(key)));
}

/** Returns the recorded hashes without those of items that no longer have files. */
export function pruneHashes(hashes: LockHashes, files: FileMap): Map<string, string> {
  const owners = new Set([...files.keys()].flatMap((file) => listOwners(file)));
  return new Map([...hashes].filter(([key]) => owners.has(key.split("+", 1)[0] ?? key)));
}

function listOwners(file: string): string[] {
  const location = placeOf(file, { defaultTs: "bun" });
  return location ? [location.path, ...(location.folder === undefined ? [] : [location.folder])] : [];
}
