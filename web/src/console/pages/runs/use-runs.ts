import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo, useRef } from "react";
import type { Reply } from "../../../../../contract/client/operation.ts";
import { ask, call } from "../../data/api.ts";
import type { ListQuery } from "./query.ts";

export type Run = Reply<"jobs.list">[number];

const PER_PAGE = 50;
/** While nothing changes, the list is read less often. */
const FASTEST_MS = 4_000;
const SLOWEST_MS = 30_000;

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
    queryKey: [workspace, "runs", query],
    queryFn: ({ pageParam, signal }) => loadPage(workspace, query, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Reads the newest runs repeatedly while the page is visible. Returns those that the list lacks, and the present states of the others. */
export function useNewRuns(workspace: string, query: ListQuery, shown: readonly Run[], isLive: boolean) {
  const pace = useRef({ fingerprint: "", everyMs: FASTEST_MS });
  const newest = useQuery({
    queryKey: [workspace, "newest runs", query],
    queryFn: ({ signal }) => call.jobs.list({ workspace, query: { ...query, include_preview: true, per_page: PER_PAGE }, signal }),
    enabled: isLive && shown.length > 0,
    // The list itself has just been read.
    initialData: [] as Run[],
    refetchInterval: ({ state: { data } }) => {
      const fingerprint = (data ?? []).map((run) => `${run.id} ${run.type} ${"running" in run && run.running}`).join();
      const isSame = fingerprint === pace.current.fingerprint;
      pace.current = { fingerprint, everyMs: isSame ? Math.min(pace.current.everyMs * 1.5, SLOWEST_MS) : FASTEST_MS };
      return pace.current.everyMs;
    },
    staleTime: FASTEST_MS,
  });
  return useMemo(() => {
    const listedIds = new Set(shown.map(({ id }) => id));
    const fresh = newest.data ?? [];
    return { newRuns: fresh.filter(({ id }) => !listedIds.has(id)), present: new Map(fresh.map((run) => [run.id, run])) };
  }, [newest.data, shown]);
}
