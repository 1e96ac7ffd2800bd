import { join } from "node:path";
import type { ItemDigest } from "../../core/sync/digest.ts";
import type { FileMap } from "../../core/sync/files/layout.ts";
import { isConfidential } from "../../core/sync/item.ts";
import { isResolved } from "../../core/sync/metadata/item-sources.ts";
import type { LockHashes } from "../../core/sync/metadata/lock-file.ts";
import { forgetItem, pruneHashes, recordItem } from "../../core/sync/metadata/record-hashes.ts";
import { hasLockFile, readLockFile, writeLockFile } from "../metadata/lock-file.ts";
import { makePrivateFile } from "../private-file.ts";
import { removeLocalFile, writeLocalFile } from "../project/local-files.ts";
import { type Change, isEffective } from "./changes.ts";
import type { SyncSession } from "./session.ts";
import { readBase, writeBase } from "./state.ts";

/** Writes the changes of a pull to the files, and stores the items that both sides have in common. */
export function applyPull(session: SyncSession, changes: readonly Change[]): void {
  const { project, target, local, remote } = session;
  const { root, entry } = project;
  const effective = changes.filter(isEffective);
  // Only a project whose metadata was generated has this file. It is not a file of the workspace.
  const hashes = hasLockFile(root) ? recordPulled(readLockFile(root), session.files.files, effective) : undefined;
  for (const change of effective) {
    const newFiles = change.type === "delete" ? new Map<string, string>() : (change.remote?.files ?? new Map<string, string>());
    const existing = change.local?.files ?? new Map<string, string>();
    const isPrivate = isConfidential(change.remote?.item);
    for (const [file, text] of newFiles) if (existing.get(file) !== text) writeLocalFile(root, file, text, { isPrivate });
    // Other workspaces may use the common file.
    const isCommon = (file: string) =>
      entry !== undefined && [...newFiles.keys()].some((name) => name !== file && name.includes(`.${entry}.`));
    for (const file of existing.keys()) if (!newFiles.has(file) && !isCommon(file)) removeLocalFile(root, file);
  }
  makeSecretsPrivate(root, local);
  if (hashes) writeLockFile(root, hashes);
  const applied = new Set(effective.map(({ key }) => key));
  const before = readBase(root, target);
  writeBase(root, target, retainBundles(mergeBase({ before, local, remote, changes, applied }), before));
}

/**
 * Makes files with secrets that a pull has not written readable only for their owner. Other users may be able to read them, because git does not
 * store these rights.
 */
function makeSecretsPrivate(root: string, local: SyncSession["local"]): void {
  for (const { item, files } of local.values()) {
    if (isConfidential(item)) for (const file of files.keys()) makePrivateFile(join(root, file));
  }
}

/** A pull fetches no bundles, so the bundles that both sides had in common before remain. */
function retainBundles(
  base: ReadonlyMap<string, ItemDigest>,
  before: ReadonlyMap<string, ItemDigest> | undefined,
): Map<string, ItemDigest> {
  return new Map(
    [...base].map(([key, digest]) => {
      const bundle = before?.get(key)?.bundle ?? digest.bundle;
      return [key, { ...digest, ...(bundle ? { bundle } : {}) }];
    }),
  );
}

/** Returns the recorded hashes after a pull. The workspace's locks fit its sources. A flow that was saved without locks has no hash. */
function recordPulled(before: LockHashes, localFiles: FileMap, changes: readonly Change[]): LockHashes {
  const files = new Map(localFiles);
  for (const { local, remote, type } of changes) {
    for (const file of local?.files.keys() ?? []) files.delete(file);
    if (type !== "delete") for (const [file, text] of remote?.files ?? []) files.set(file, text);
  }
  let hashes: LockHashes = before;
  for (const { kind, type, remote } of changes) {
    if ((kind !== "script" && kind !== "flow") || type === "delete" || !remote) continue;
    hashes = isResolved(remote) ? recordItem(hashes, remote, files) : forgetItem(hashes, remote);
  }
  return pruneHashes(hashes, files);
}

interface MergeInput {
  before: ReadonlyMap<string, ItemDigest> | undefined;
  local: SyncSession["local"];
  remote: SyncSession["remote"];
  changes: readonly Change[];
  /** The items that both sides have in common now. */
  applied: ReadonlySet<string>;
}

/** Returns the items that both sides have in common after a synchronisation. Items that still differ retain their earlier entries. */
export function mergeBase({ before, local, remote, changes, applied }: MergeInput): Map<string, ItemDigest> {
  const differing = new Set(changes.filter(({ key }) => !applied.has(key)).map(({ key }) => key));
  // Items that the options exclude are not compared, so their entries remain.
  const base = new Map(
    [...(before ?? [])].filter(([key]) => differing.has(key) || (!local.has(key) && !remote.has(key) && !applied.has(key))),
  );
  for (const [key, { digest }] of remote) if (!differing.has(key)) base.set(key, digest);
  return base;
}
