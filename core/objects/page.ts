import { limits } from "../../contract/limits.ts";

/** One page of a list that is in memory. Some clients begin at page 0: it is page 1. */
export function paginate<T>(
  all: readonly T[],
  { page = 1, per_page = limits.perPage }: { page?: number | undefined; per_page?: number | undefined },
): T[] {
  const size = Math.min(per_page, limits.maxPerPage);
  const start = (Math.max(page, 1) - 1) * size;
  return all.slice(start, start + size);
}
