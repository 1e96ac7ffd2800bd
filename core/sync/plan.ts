import { equalsExactly, equalsLocal, equalsLocalFiles, equalsStated, type ItemDigest } from "./digest.ts";

/** The side that a synchronisation changes. */
export type Direction = "pull" | "push";

/** `skip`: only the other side has changed, so this direction leaves it. */
export type ChangeType = "create" | "change" | "delete" | "conflict" | "skip";

export interface PlannedChange {
  key: string;
  type: ChangeType;
  /** The reason for which an item is skipped, or changes although its files do not. */
  reason?: string;
}

export interface PlanInput {
  direction: Direction;
  local: ReadonlyMap<string, ItemDigest>;
  remote: ReadonlyMap<string, ItemDigest>;
  /**
   * The items of both sides after the last synchronisation. Absent: there was none, so the changed side becomes equal to the other one.
   */
  base?: ReadonlyMap<string, ItemDigest> | undefined;
  /** Treats conflicts and changes of the other side as if there were no base. */
  force?: boolean;
  /** Whether the local scripts of codebases were bundled. Default: true. Without bundles, only the files are compared. */
  hasBundles?: boolean;
}

/**
 * Plans a synchronisation: the changes by item. With a base, an item that changed on both sides is a conflict unless both are equal now, and a
 * change of the side that this direction writes to is skipped. A lock that the service has added does not count as a change by another person,
 * but a pull fetches it. A pull does not compare bundles, because it cannot fetch their sources.
 */
export function planChanges({ direction, local, remote, base, force = false, hasBundles = true }: PlanInput): PlannedChange[] {
  const keys = [...new Set([...local.keys(), ...remote.keys()])].sort();
  const read = (side: ReadonlyMap<string, ItemDigest> | undefined, key: string) =>
    direction === "pull" || !hasBundles ? withoutBundle(side?.get(key)) : side?.get(key);
  return keys.flatMap((key): PlannedChange[] => {
    const [mine, theirs, before] = [read(local, key), read(remote, key), read(base, key)];
    const areEqual = mine && theirs && (direction === "push" ? equalsLocal(mine, theirs) : equalsExactly(mine, theirs));
    if (areEqual) return [];
    const mirrored = { key, type: mirror(direction, mine, theirs), ...explainChange(mine, theirs) };
    if (!base || force) return [mirrored];
    const localChanged = hasChanged(mine, before, equalsLocal);
    const remoteChanged = hasChanged(theirs, before, equalsStated);
    if (localChanged && remoteChanged) return [{ key, type: "conflict" as const }];
    if (localChanged === (direction === "push")) return [mirrored];
    return [
      {
        key,
        type: "skip" as const,
        reason: direction === "push" ? "changed in the workspace since the last pull" : "changed here since the last pull",
      },
    ];
  });
}

function withoutBundle(digest: ItemDigest | undefined): ItemDigest | undefined {
  if (digest === undefined) return undefined;
  const { bundle, ...files } = digest;
  return files;
}

const explainChange = (local: ItemDigest | undefined, remote: ItemDigest | undefined): { reason?: string } =>
  local && remote && equalsLocalFiles(local, remote) ? { reason: "its bundle has changed" } : {};

function hasChanged(now: ItemDigest | undefined, before: ItemDigest | undefined, equal: typeof equalsLocal): boolean {
  if (now && before) return !equal(now, before);
  return now !== before;
}

function mirror(direction: Direction, local: ItemDigest | undefined, remote: ItemDigest | undefined): "create" | "change" | "delete" {
  const [source, target] = direction === "push" ? [local, remote] : [remote, local];
  if (!target) return "create";
  return source ? "change" : "delete";
}
