import type { Change } from "../changes.ts";

/**
 * Groups changes in the order in which a push makes them: first those that create and change, by kind, then deletions from the last kind to the
 * first, so that no reference breaks. A script that is part of a cycle of imports may be in two groups, because its first build misses an import.
 */
export async function groupChanges(changes: readonly Change[]): Promise<Change[][]> {
  const saves = Map.groupBy(
    changes.filter(({ type }) => type !== "delete"),
    ({ kind }) => kind,
  );
  const deletions = Map.groupBy(changes.filter(({ type }) => type === "delete").toReversed(), ({ kind }) => kind);
  const groups: Change[][] = [];
  for (const [kind, group] of saves) groups.push(...(kind === "script" && group.length > 1 ? await groupScripts(group) : [group]));
  return [...groups, ...deletions.values()];
}

async function groupScripts(changes: readonly Change[]): Promise<Change[][]> {
  // The parsers of imports take a while to load, and most pushes need none.
  const { orderByImports } = await import("../../../core/sync/metadata/imported-scripts.ts");
  const byPath = new Map(changes.map((change) => [change.path, change]));
  const sources = changes.flatMap(({ path, local }) => {
    const { language = "bun", content = "" } = local?.item ?? {};
    // A bundle contains what its script imports.
    return [[path, { language, source: local?.bundled ? "" : content }] as const];
  });
  const { groups, again } = orderByImports(new Map(sources));
  return [...groups, again].map((paths) => paths.flatMap((path) => byPath.get(path) ?? [])).filter((group) => group.length > 0);
}
