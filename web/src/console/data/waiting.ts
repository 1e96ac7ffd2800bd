import { queryOptions, useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import type { PendingApprovalJson } from "../../../../contract/routes/approvals/approvals.ts";
import { Refused } from "../../shared/service.ts";
import { ask } from "./api.ts";

export interface Waiting {
  requests: readonly PendingApprovalJson[];
  /** More requests may wait: the next page begins before this one. */
  before: string | undefined;
}

const FASTEST_MS = 15_000;
const SLOWEST_MS = 120_000;

/** Returns the milliseconds until the next read. `unchanged` counts the reads since the last change. */
export const pollIntervalMs = (unchanged: number): number => Math.min(SLOWEST_MS, FASTEST_MS * 1.5 ** Math.min(unchanged, 20));

export const waitingKey = (workspace: string) => [workspace, "waiting"] as const;

/** A page of the requests that wait for the user's decision. Everything that shows the first page shares it. */
export const waitingQuery = (workspace: string, before?: string) =>
  queryOptions({
    queryKey: [...waitingKey(workspace), before ?? ""],
    queryFn: async ({ signal }): Promise<Waiting> => {
      const { value, headers } = await ask.approvals.pending({ workspace, query: { before }, signal });
      return { requests: value, before: headers.get("x-svc-before") ?? undefined };
    },
  });

/** Reads the first page repeatedly while the browser shows the console, less often while nothing changes. One component of a page may use it. */
export function usePolledWaiting(workspace: string) {
  const seen = useRef({ ids: "", reads: 0 });
  return useQuery({
    ...waitingQuery(workspace),
    refetchOnWindowFocus: true,
    refetchInterval: ({ state: { data, error, dataUpdateCount, errorUpdateCount } }) => {
      // A later sign-in reads it again.
      if (error instanceof Refused && error.status === 401) return false;
      const ids = (data?.requests ?? []).map(({ gate_id }) => gate_id).join();
      const reads = dataUpdateCount + errorUpdateCount;
      if (seen.current.ids !== ids) seen.current = { ids, reads };
      return pollIntervalMs(reads - seen.current.reads);
    },
  });
}

/** The number of requests, as the navigation shows it. Empty if none is known. */
export function countText(waiting: Waiting | undefined): string {
  const count = waiting?.requests.length ?? 0;
  if (count === 0) return "";
  return waiting?.before === undefined ? String(count) : `${count}+`;
}
