import { limits } from "../../contract/limits.ts";

/** Returns one page of a list in memory. Some clients start at page 0, which is the same as page 1. */
export function paginate<T>(
  all: readonly T[],
  { page = 1, per_page = limits.perPage }: { page?: number | undefined; per_page?: number | undefined },
): T[] {
  const size = Math.min(per_page, limits.maxPerPage);
  const start = (Math.max(page, 1) - 1) * size;
  return all.slice(start, start + size);
}
