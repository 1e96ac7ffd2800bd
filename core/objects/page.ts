import { limits } from "../../contract/limits.ts";

/** One page of a whole list; pages count from 1, and 0 is taken for it. */
export function pageOf<T>(
  all: readonly T[],
  { page = 1, per_page = limits.perPage }: { page?: number | undefined; per_page?: number | undefined },
): T[] {
  const size = Math.min(per_page, limits.maxPerPage);
  const start = (Math.max(page, 1) - 1) * size;
  return all.slice(start, start + size);
}
