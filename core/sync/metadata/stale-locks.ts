import type { FileMap } from "../files/layout.ts";
import { hashItem, type ItemSource, type LocalItem, listSources } from "./item-sources.ts";
import type { LockHashes } from "./lock-file.ts";

/** The state of a project on which its metadata depends. */
export interface ProjectState {
  /** The scripts and flows. */
  items: readonly LocalItem[];
  /** All files. */
  files: FileMap;
  /** The recorded hashes. */
  hashes: LockHashes;
}

/** Returns the keys of an item whose hash differs from the recorded one. */
export const listChangedKeys = (local: LocalItem, { files, hashes }: Omit<ProjectState, "items">): string[] =>
  [...hashItem(local, files)].flatMap(([key, hash]) => (hashes.get(key) === hash ? [] : [key]));

/**
 * Lists the sources whose recorded hash differs, because their lock was generated for another state. Sources without a recorded hash are left
 * out.
 */
export function listStaleLocks({ items, files, hashes }: ProjectState): ItemSource[] {
  if (hashes.size === 0) return [];
  return items.flatMap((local) => {
    const keys = new Set(listChangedKeys(local, { files, hashes }));
    return listSources(local).filter(({ key, lock }) => lock && hashes.has(key) && keys.has(key));
  });
}
