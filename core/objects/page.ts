import { limits } from "../../contract/limits.ts";

/** The page of a list that a request names. */
export interface PageQuery {
  page?: number | undefined;
  per_page?: number | undefined;
}

/** Returns one page of a list in memory. */
export function paginate<T>(all: readonly T[], query: PageQuery): T[] {
  return all.slice(...pageBounds(query));
}

/** Returns the indexes of the first entry of a page, and of the one after its last. Some clients start at page 0, which is the same as page 1. */
export function pageBounds({ page = 1, per_page = limits.perPage }: PageQuery): [number, number] {
  const size = Math.min(per_page, limits.maxPerPage);
  const start = (Math.max(page, 1) - 1) * size;
  return [start, start + size];
}
