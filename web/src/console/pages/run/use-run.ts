import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Reply } from "../../../../../contract/client/operation.ts";
import { toRequest } from "../../../../../contract/client/request.ts";
import type { StreamEventJson } from "../../../../../contract/routes/jobs/streams.ts";
import { basePath } from "../../../shared/base-path.ts";
import { call, operations } from "../../data/api.ts";

export type RunJob = Reply<"jobs.get">;

const POLLED_MS = 5_000;

export const runKey = (workspace: string, id: string) => [workspace, "run", id] as const;

/** Loads a run without its log and its code. */
export function useRun(workspace: string, id: string) {
  return useQuery({
    queryKey: runKey(workspace, id),
    queryFn: ({ signal }) => call.jobs.get({ workspace, id, query: { no_logs: true, no_code: true }, signal }),
    // Events report a change at once; a proxy that holds them back delays it to the next poll.
    refetchInterval: ({ state: { data } }) => (data?.type === "QueuedJob" ? POLLED_MS : false),
  });
}

/**
 * Returns the log of a run, which grows while the run continues. The browser connects again after the end of a stream, and continues at the
 * same place. A hidden page receives nothing.
 */
export function useLog(workspace: string, run: RunJob | undefined): { log: string; stream: string } {
  const queries = useQueryClient();
  const [received, setReceived] = useState({ log: "", stream: "" });
  const id = run?.id;
  const isOpen = run?.type === "QueuedJob";
  const ended = useQuery({
    queryKey: [workspace, "log", id],
    queryFn: ({ signal }) =>
      (run?.job_kind === "flow" || run?.job_kind === "flowpreview" ? call.jobs.getFlowLogs : call.jobs.getLogs)({
        workspace,
        id: id ?? "",
        signal,
      }),
    enabled: run !== undefined && !isOpen,
    staleTime: Number.POSITIVE_INFINITY,
  });
  useEffect(() => {
    if (!isOpen || id === undefined) return;
    const offsets = { log: 0, stream: 0 };
    let source: EventSource | undefined;
    const open = () => {
      const query = { fast: true, log_offset: offsets.log, stream_offset: offsets.stream };
      source = new EventSource(`${basePath}${toRequest(operations, "jobs.updateStream", { workspace, id, query }).address}`);
      source.onmessage = ({ data }) => {
        const event = JSON.parse(String(data)) as StreamEventJson;
        if (event.type !== "update") return;
        offsets.log = event.log_offset ?? offsets.log;
        offsets.stream = event.stream_offset ?? offsets.stream;
        const { new_logs = "", new_result_stream = "" } = event;
        if (new_logs || new_result_stream) setReceived(({ log, stream }) => ({ log: log + new_logs, stream: stream + new_result_stream }));
        if (event.completed) source?.close();
        if (event.completed || event.flow_status || event.running) void queries.invalidateQueries({ queryKey: runKey(workspace, id) });
      };
    };
    const close = () => source?.close();
    const change = () => (document.hidden ? close() : open());
    if (!document.hidden) open();
    document.addEventListener("visibilitychange", change);
    return () => {
      document.removeEventListener("visibilitychange", change);
      close();
    };
  }, [workspace, id, isOpen, queries]);
  return { log: ended.data ?? received.log, stream: received.stream };
}
