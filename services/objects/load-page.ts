import { type PageQuery, pageBounds } from "../../core/objects/page.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import type { Uses } from "../uses.ts";

/** The first request reads this many objects: enough for a page of a list of which the caller sees nearly everything. */
const FIRST_READ = 200;

interface Listed<T> {
  pk: string;
  parseReadable: (stored: readonly StoredObject[]) => T[];
  matches: (value: T) => boolean;
}

/** Loads one page of the objects of a partition that match, by sort key. It reads the partition only as far as the page needs. */
export async function loadPage<T>({ objects }: Uses<"objects">, { pk, parseReadable, matches }: Listed<T>, query: PageQuery): Promise<T[]> {
  const [start, end] = pageBounds(query);
  const found: T[] = [];
  let read = await objects.listAfter(pk, { after: undefined, limit: FIRST_READ });
  for (;;) {
    found.push(...parseReadable(read.objects).filter(matches));
    if (read.after === undefined || found.length >= end) return found.slice(start, end);
    read = await objects.listAfter(pk, { after: read.after });
  }
}
