import type { EntryPage, ListEntry, PageEnd } from "../../../../ports/job-store.ts";

/** Reads the next page of one partition of an index. */
export type ReadPage = (limit: number, after: PageEnd | undefined) => Promise<EntryPage>;

/** Entries in the order of the list, and the sort key down to which all partitions were read. `undefined` means to their end. */
export interface MergedEntries {
  entries: ListEntry[];
  position: string | undefined;
}

interface Partition {
  read: ReadPage;
  waiting: ListEntry[];
  after: PageEnd | undefined;
  done: boolean;
}

/** The size of the first page. Later pages grow, because a list that needs them compares many entries. */
const FIRST_PAGE = 60;
const GROWTH = 4;
const LARGEST_PAGE = 4000;

/**
 * Merges partitions into one order, newest first unless `ascending`, until `maxScanned` entries were compared. Yields only entries whose order is
 * certain: those before the position of every partition that was not read to its end.
 */
export async function* mergeEntries(
  readers: readonly ReadPage[],
  { ascending, maxScanned }: { ascending: boolean; maxScanned: number },
): AsyncGenerator<MergedEntries> {
  const order = ascending ? 1 : -1;
  const compare = (a: string, b: string) => (a === b ? 0 : order * (a < b ? -1 : 1));
  const partitions: Partition[] = readers.map((read) => ({ read, waiting: [], after: undefined, done: false }));
  let scanned = 0;
  let limit = FIRST_PAGE;
  for (;;) {
    const open = partitions.filter(({ done }) => !done);
    const [frontier] = open.flatMap(({ after }) => after?.sort ?? []).sort(compare);
    // Only the partitions that were read the least delay the others.
    const behind = open.filter(({ after }) => after === undefined || after.sort === frontier);
    const pages = await Promise.all(behind.map((partition) => partition.read(limit, partition.after)));
    for (const [at, page] of pages.entries()) {
      const partition = behind[at] as Partition;
      partition.waiting.push(...page.entries);
      partition.after = page.after;
      partition.done = page.after === undefined;
      scanned += page.scanned;
    }
    const [position] = partitions.flatMap(({ done, after }) => (done || !after ? [] : [after.sort])).sort(compare);
    const isCertain = ({ sort }: ListEntry) => position === undefined || compare(sort, position) <= 0;
    const entries = partitions.flatMap(({ waiting }) => waiting.filter(isCertain)).sort((a, b) => compare(a.sort, b.sort));
    for (const partition of partitions) partition.waiting = partition.waiting.filter((entry) => !isCertain(entry));
    yield { entries, position };
    if (position === undefined || scanned >= maxScanned) return;
    limit = Math.min(limit * GROWTH, LARGEST_PAGE);
  }
}
