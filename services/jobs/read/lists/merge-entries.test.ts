import fc from "fast-check";
import { expect, it } from "vitest";
import type { ListEntry, PageEnd } from "../../../../ports/job-store.ts";
import { type MergedEntries, mergeEntries, type ReadPage } from "./merge-entries.ts";

/** A partition whose pages are at most `most` entries, and whose filter matches every `nth` entry. */
function aPartition(sorts: string[], { ascending, most, nth }: { ascending: boolean; most: number; nth: number }): ReadPage {
  const sorted = sorts.toSorted((a, b) => (ascending ? 1 : -1) * (a < b ? -1 : 1));
  return async (limit, after: PageEnd | undefined) => {
    const start = Number(after?.key["at"] ?? 0);
    const page = sorted.slice(start, start + Math.min(limit, most));
    const end = start + page.length;
    return {
      entries: page.filter((_, at) => (start + at) % nth === 0).map((sort) => ({ id: sort, sort })),
      scanned: page.length,
      after: end < sorted.length ? { key: { at: end }, sort: page.at(-1) ?? "" } : undefined,
    };
  };
}

async function collect(generator: AsyncGenerator<MergedEntries>) {
  const batches: MergedEntries[] = [];
  for await (const batch of generator) batches.push(batch);
  return batches;
}

const partitions = fc.array(
  fc.uniqueArray(
    fc.integer({ min: 0, max: 999 }).map((n) => String(n).padStart(4, "0")),
    { maxLength: 40 },
  ),
  {
    minLength: 1,
    maxLength: 4,
  },
);

it("a merge yields every matching entry of all partitions once, in one order", async () => {
  await fc.assert(
    fc.asyncProperty(
      partitions,
      fc.boolean(),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 4 }),
      async (all, ascending, most, nth) => {
        const readers = all.map((sorts) => aPartition(sorts, { ascending, most, nth }));
        const found = (await collect(mergeEntries(readers, { ascending, maxScanned: 1e6 }))).flatMap(({ entries }) => entries);
        const expected: ListEntry[] = [];
        for (const reader of all.map((sorts) => aPartition(sorts, { ascending, most: 1e6, nth }))) {
          for (let after: PageEnd | undefined; ; ) {
            const page = await reader(1e6, after);
            expected.push(...page.entries);
            after = page.after;
            if (!after) break;
          }
        }
        const sorts = found.map(({ sort }) => sort);
        expect(sorts).toEqual(sorts.toSorted((a, b) => (ascending ? 1 : -1) * (a < b ? -1 : a > b ? 1 : 0)));
        expect(sorts.toSorted()).toEqual(expected.map(({ sort }) => sort).toSorted());
      },
    ),
  );
});

it("a merge that stops early has yielded each entry before its position", async () => {
  const readers = [
    aPartition(["0009", "0007", "0005", "0003"], { ascending: false, most: 1, nth: 1 }),
    aPartition(["0008"], { ascending: false, most: 1, nth: 1 }),
  ];
  const batches = await collect(mergeEntries(readers, { ascending: false, maxScanned: 3 }));
  expect(batches.flatMap(({ entries }) => entries.map(({ sort }) => sort))).toEqual(["0009", "0008", "0007"]);
  expect(batches.at(-1)?.position).toBe("0007");
});
