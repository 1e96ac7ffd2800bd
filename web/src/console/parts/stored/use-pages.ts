import { useInfiniteQuery } from "@tanstack/react-query";

const PER_PAGE = 100;

interface PageRequest {
  query: { page: number; per_page: number };
  signal: AbortSignal;
}

/** Loads a list page by page. `load` requests one of them. */
export function usePages<T>(queryKey: readonly unknown[], load: (request: PageRequest) => Promise<T[]>) {
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => load({ query: { page: pageParam, per_page: PER_PAGE }, signal }),
    initialPageParam: 1,
    getNextPageParam: (last, all) => (last.length === PER_PAGE ? all.length + 1 : undefined),
  });
}

/** Loads a list that the service returns as a whole. */
export function useWhole<T>(queryKey: readonly unknown[], load: (signal: AbortSignal) => Promise<T[]>) {
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ signal }) => load(signal),
    initialPageParam: 1,
    getNextPageParam: () => undefined,
  });
}
