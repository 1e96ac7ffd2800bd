import { type AddressStep, hasAddresses, orderAddresses } from "../../../core/sync/order-addresses.ts";
import type { Change } from "../changes.ts";

/**
 * Groups changes in the order in which a push makes them: first those that create and change, by kind, then deletions from the last kind to the
 * first, so that no reference breaks. An item that gives up an address comes before the one that takes it. A script that is part of a cycle of imports may be in two groups, because its first build misses an import.
 */
export async function groupChanges(changes: readonly Change[]): Promise<AddressStep<Change>[][]> {
  const groups: AddressStep<Change>[][] = [];
  const deletions: Change[] = [];
  for (const [kind, group] of Map.groupBy(changes, (change) => change.kind)) {
    if (hasAddresses(kind)) {
      const addressed = group.map((change) => ({ kind, before: change.remote?.item, after: change.local?.item, change }));
      const { groups: ordered, rest } = orderAddresses(addressed);
      groups.push(...ordered.map((steps) => steps.map(({ change: { change }, ...step }) => ({ ...step, change }))));
      deletions.push(...rest.map(({ change }) => change));
      continue;
    }
    const saves = group.filter(({ type }) => type !== "delete");
    deletions.push(...group.filter(({ type }) => type === "delete"));
    const ordered = kind === "script" && saves.length > 1 ? await groupScripts(saves) : [saves];
    groups.push(...ordered.map((some) => some.map((change) => ({ change }))));
  }
  const last = Map.groupBy(deletions.toReversed(), ({ kind }) => kind);
  return [...groups, ...[...last.values()].map((some) => some.map((change) => ({ change })))].filter((group) => group.length > 0);
}

async function groupScripts(changes: readonly Change[]): Promise<Change[][]> {
  // The parsers of imports take a while to load, and most pushes need none.
  const { orderByImports } = await import("../../../core/sync/metadata/imported-scripts.ts");
  const byPath = new Map(changes.map((change) => [change.path, change]));
  const sources = changes.flatMap(({ path, local }) => {
    const { language = "bun", content = "" } = local?.item ?? {};
    // A bundle already contains the imports of its script.
    return [[path, { language, source: local?.bundled ? "" : content }] as const];
  });
  const { groups, again } = orderByImports(new Map(sources));
  return [...groups, again].map((paths) => paths.flatMap((path) => byPath.get(path) ?? [])).filter((group) => group.length > 0);
}
