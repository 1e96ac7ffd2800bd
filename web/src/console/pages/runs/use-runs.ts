import { type InfiniteData, keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useRef } from "react";
import type { Reply } from "../../../../../contract/client/operation.ts";
import { ask, call } from "../../data/api.ts";
import { firstPace, nextPace } from "./pace.ts";
import type { ListQuery } from "./query.ts";

export type Run = Reply<"jobs.list">[number];

const PER_PAGE = 50;

/** The key of all that the page has read about runs. */
export const runsKey = (workspace: string) => [workspace, "runs"] as const;

interface RunsPage {
  runs: Run[];
  cursor: string | undefined;
}

async function loadPage(workspace: string, query: ListQuery, cursor: string | undefined, signal: AbortSignal): Promise<RunsPage> {
  const { value, headers } = await ask.jobs.list({
    workspace,
    query: { ...query, include_preview: true, per_page: PER_PAGE, cursor },
    signal,
  });
  return { runs: value, cursor: headers.get("x-next-cursor") ?? undefined };
}

/** Loads the runs that match, page by page. */
export function useRunPages(workspace: string, query: ListQuery) {
  return useInfiniteQuery({
    queryKey: [...runsKey(workspace), "list", query],
    queryFn: ({ pageParam, signal }) => loadPage(workspace, query, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Returns a function that loads the first page and the chart again. Later pages are read again only when a person asks for them. */
export function useReload(workspace: string, query: ListQuery): () => void {
  const queries = useQueryClient();
  return () => {
    queries.setQueryData<InfiniteData<RunsPage>>([...runsKey(workspace), "list", query], (loaded) => {
      return loaded && { pages: loaded.pages.slice(0, 1), pageParams: loaded.pageParams.slice(0, 1) };
    });
    void queries.invalidateQueries({ queryKey: runsKey(workspace) });
  };
}

/** Reads the newest runs repeatedly while the page is visible. Returns those that the list lacks, and the present states of the others. */
export function useNewRuns(workspace: string, query: ListQuery, shown: readonly Run[], isLive: boolean) {
  const opened = useMemo(() => ({ query, atMs: Date.now() }), [query]);
  const pace = useRef(firstPace);
  const newest = useQuery({
    queryKey: [workspace, "newest runs", query],
    queryFn: ({ signal }) => call.jobs.list({ workspace, query: { ...query, include_preview: true, per_page: PER_PAGE }, signal }),
    enabled: isLive,
    // The list itself has just been read.
    initialData: [] as Run[],
    refetchInterval: ({ state: { data } }) => {
      const found = (data ?? []).map((run) => `${run.id} ${run.type} ${"running" in run && run.running}`).join();
      pace.current = nextPace(pace.current, found, Date.now() - opened.atMs);
      return pace.current.everyMs;
    },
    refetchOnWindowFocus: true,
    staleTime: firstPace.everyMs,
  });
  return useMemo(() => {
    const listedIds = new Set(shown.map(({ id }) => id));
    const fresh = newest.data ?? [];
    return { newRuns: fresh.filter(({ id }) => !listedIds.has(id)), present: new Map(fresh.map((run) => [run.id, run])) };
  }, [newest.data, shown]);
}
