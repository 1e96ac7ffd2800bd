import { findKind } from "../../contract/kinds/kinds.ts";
import type { ItemDigest } from "../../core/sync/digest.ts";
import { compareItems } from "../../core/sync/item.ts";
import { type ChangeType, type Direction, planChanges } from "../../core/sync/plan.ts";
import type { SnapshotItem } from "../project/snapshot-item.ts";
import { digestsOf, type Snapshot } from "../project/snapshots.ts";

/** A planned change of an item with both of its versions. */
export interface Change {
  key: string;
  type: ChangeType;
  kind: string;
  path: string;
  reason?: string;
  local?: SnapshotItem;
  remote?: SnapshotItem;
}

/** Plans a synchronisation, in the order in which a push applies it. */
export function planSync(
  direction: Direction,
  {
    local,
    remote,
    base,
    force,
    hasBundles,
  }: { local: Snapshot; remote: Snapshot; base: ReadonlyMap<string, ItemDigest> | undefined; force: boolean; hasBundles: boolean },
): Change[] {
  const planned = planChanges({ direction, local: digestsOf(local), remote: digestsOf(remote), base, force, hasBundles });
  const changes = planned.map(({ key, type, reason }): Change => {
    const [mine, theirs] = [local.get(key), remote.get(key)];
    const { kind, path } = ((mine ?? theirs) as SnapshotItem).item;
    return {
      key,
      type,
      kind,
      path,
      ...(reason ? { reason } : {}),
      ...(mine ? { local: mine } : {}),
      ...(theirs ? { remote: theirs } : {}),
    };
  });
  return changes.sort(compareItems);
}

/** Returns the folders that new items need, and that the workspace neither has nor gets. */
export function findMissingFolders(changes: readonly Change[], folders: ReadonlySet<string>): string[] {
  const created = changes.filter(({ type }) => type === "create");
  const available = new Set([...folders, ...created.flatMap(({ kind, path }) => (kind === "folder" ? [path] : []))]);
  const needed = created.flatMap(({ path }) => /^f\/([^/]+)\//.exec(path)?.[1] ?? []);
  return [...new Set(needed)].filter((name) => !available.has(name));
}

export const isEffective = ({ type }: Pick<Change, "type">): boolean => type === "create" || type === "change" || type === "delete";

/** Retains variables and resources that a push would delete, unless their deletion is requested. */
export function protectSecrets(changes: readonly Change[], { pruneSecrets }: { pruneSecrets: boolean }): Change[] {
  return changes.map((change) =>
    change.type === "delete" && findKind(change.kind)?.holdsValue && !pruneSecrets
      ? { ...change, type: "skip", reason: "it has no file here; --prune-secrets deletes it" }
      : change,
  );
}

/** Retains folders that have local items but no metadata file: the items would lose their folder. */
export function protectFolders(changes: readonly Change[], local: Snapshot): Change[] {
  const used = new Set([...local.values()].map(({ item: { path } }) => path.split("/", 2).join("/")));
  return changes.map((change) =>
    change.type === "delete" && change.kind === "folder" && used.has(`f/${change.path}`)
      ? { ...change, type: "skip", reason: "it has no folder.meta.yaml here, but items" }
      : change,
  );
}
