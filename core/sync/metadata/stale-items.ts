import { listImportedScripts, listScripts } from "./imported-scripts.ts";
import { type ItemSource, type LocalItem, listSources } from "./item-sources.ts";
import type { LockHashes, UsedLists } from "./lock-file.ts";
import { listChangedKeys, type ProjectState } from "./stale-locks.ts";
import { selectUsedLists } from "./used-lists.ts";

/** A source whose lock was generated for another state of the project. */
export interface StaleSource extends ItemSource {
  /** The scripts of the project that it imports. */
  imports: string[];
  lists: UsedLists;
  /** Its recorded hash is valid: it is stale for another reason. */
  isRecorded: boolean;
}

/** A script or flow whose metadata does not match its sources. */
export interface StaleItem {
  local: LocalItem;
  /** The sources that need a new lock. Empty: a source of the flow was removed. */
  sources: StaleSource[];
  /** The reasons, each as a sentence without a subject. */
  reasons: string[];
}

/**
 * Finds the scripts and flows whose metadata must be generated: one of their hashes differs from the recorded one, a lock is missing, or they
 * import such a script of the project.
 */
export function findStaleItems({ items, files, hashes }: ProjectState): StaleItem[] {
  const scripts = listScripts(items);
  const changed = new Map(items.map((local) => [local, new Set(listChangedKeys(local, { files, hashes }))]));
  const changedKeys = new Set([...changed.values()].flatMap((keys) => [...keys]));
  const check = (one: ItemSource): { stale: StaleSource; reason: string } | undefined => {
    const imports = listImportedScripts(one.path, one, scripts);
    const from = one.id === undefined ? "" : `${one.id}: `;
    const reason = describeStaleness(one, { hashes, changedKeys, imports });
    if (reason === undefined) return undefined;
    const lists = selectUsedLists(one, files);
    return { stale: { ...one, imports, lists, isRecorded: !changedKeys.has(one.key) }, reason: from + reason };
  };
  return items.flatMap((local): StaleItem[] => {
    const found = listSources(local).flatMap((one) => check(one) ?? []);
    if (found.length > 0) return [{ local, sources: found.map(({ stale }) => stale), reasons: found.map(({ reason }) => reason) }];
    return changed.get(local)?.size === 0 ? [] : [{ local, sources: [], reasons: ["an inline script was removed"] }];
  });
}

function describeStaleness(
  { key, isLockMissing }: ItemSource,
  { hashes, changedKeys, imports }: { hashes: LockHashes; changedKeys: ReadonlySet<string>; imports: readonly string[] },
): string | undefined {
  if (!hashes.has(key)) return "was never generated";
  if (changedKeys.has(key)) return "has changed";
  if (isLockMissing) return "has lost its lock";
  const imported = imports.find((path) => changedKeys.has(path));
  return imported === undefined ? undefined : `imports ${imported}, which has changed`;
}
