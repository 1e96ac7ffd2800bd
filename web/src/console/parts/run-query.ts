import { queryOptions } from "@tanstack/react-query";
import { call } from "../data/api.ts";

export const runKey = (workspace: string, id: string) => [workspace, "run", id] as const;

/** A run without its log and its code. */
export const runQuery = (workspace: string, id: string) =>
  queryOptions({
    queryKey: runKey(workspace, id),
    queryFn: ({ signal }) => call.jobs.get({ workspace, id, query: { no_logs: true, no_code: true }, signal }),
  });
