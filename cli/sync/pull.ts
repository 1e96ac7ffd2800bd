import type { ItemDigest } from "../../core/sync/digest.ts";
import { type Change, isEffective } from "./changes.ts";
import { removeLocalFile, writeLocalFile } from "./local-files.ts";
import type { SyncSession } from "./session.ts";
import { readBase, writeBase } from "./state.ts";

/** Writes the changes of a pull to the files and remembers what both sides have in common. */
export function applyPull({ project, target, local, remote }: SyncSession, changes: readonly Change[]): void {
  const { root, entry } = project;
  for (const change of changes.filter(isEffective)) {
    const wanted = change.type === "delete" ? new Map<string, string>() : (change.remote?.files ?? new Map<string, string>());
    const existing = change.local?.files ?? new Map<string, string>();
    for (const [file, text] of wanted) if (existing.get(file) !== text) writeLocalFile(root, file, text);
    // A common file may be that of other workspaces.
    const isCommon = (file: string) =>
      entry !== undefined && [...wanted.keys()].some((name) => name !== file && name.includes(`.${entry}.`));
    for (const file of existing.keys()) if (!wanted.has(file) && !isCommon(file)) removeLocalFile(root, file);
  }
  const applied = new Set(changes.filter(isEffective).map(({ key }) => key));
  const before = readBase(root, target);
  writeBase(root, target, retainBundles(mergeBase({ before, local, remote, changes, applied }), before));
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

interface MergeInput {
  before: ReadonlyMap<string, ItemDigest> | undefined;
  local: SyncSession["local"];
  remote: SyncSession["remote"];
  changes: readonly Change[];
  /** The items that both sides have in common now. */
  applied: ReadonlySet<string>;
}

/** Returns the items that both sides have in common after a synchronisation. Those that still differ stay as they were before. */
export function mergeBase({ before, local, remote, changes, applied }: MergeInput): Map<string, ItemDigest> {
  const differing = new Set(changes.filter(({ key }) => !applied.has(key)).map(({ key }) => key));
  // Items that the options leave out are not compared, so their state remains.
  const base = new Map(
    [...(before ?? [])].filter(([key]) => differing.has(key) || (!local.has(key) && !remote.has(key) && !applied.has(key))),
  );
  for (const [key, { digest }] of remote) if (!differing.has(key)) base.set(key, digest);
  return base;
}
