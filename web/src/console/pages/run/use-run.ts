import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import type { Reply } from "../../../../../contract/client/operation.ts";
import { toRequest } from "../../../../../contract/client/request.ts";
import type { StreamEventJson } from "../../../../../contract/routes/jobs/streams.ts";
import { basePath } from "../../../shared/base-path.ts";
import { call, operations } from "../../data/api.ts";
import { GrowingLog, type LogLines, NO_LINES, splitLog } from "../../parts/log/growing-log.ts";
import { runKey, runQuery } from "../../parts/run-query.ts";
import { followRun } from "./follow-run.ts";
import { usePolling } from "./polling.ts";

export type RunJob = Reply<"jobs.get">;
export { runKey };

const POLLED_MS = 5_000;

/** Loads a run without its log and its code. */
export function useRun(workspace: string, id: string) {
  const flowInterval = usePolling(() => false);
  return useQuery({
    ...runQuery(workspace, id),
    // Events report the beginning and the end of a run at once, but not that a flow waits. A proxy that holds events back delays them to the
    // next poll.
    refetchInterval: (query) => {
      const { data } = query.state;
      if (data?.type !== "QueuedJob") return false;
      return data.flow_status ? flowInterval(query) : POLLED_MS;
    },
  });
}

/**
 * Returns the log of a run, which grows while the run continues. The browser connects again after the end of a stream, and continues at the
 * same place. Behind a proxy that holds events back, the log is read repeatedly. A hidden page receives nothing.
 */
export function useLog(workspace: string, run: RunJob | undefined): { log: LogLines; stream: string } {
  const queries = useQueryClient();
  const [received, setReceived] = useState({ log: NO_LINES, stream: "" });
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
    let offsets = { log: 0, stream: 0 };
    const growing = new GrowingLog();
    let close = () => {};
    const open = () => {
      close = followRun(
        {
          from: offsets,
          connect: (from, onEvent) => {
            const query = { fast: true, log_offset: from.log, stream_offset: from.stream };
            const source = new EventSource(`${basePath}${toRequest(operations, "jobs.updateStream", { workspace, id, query }).address}`);
            source.onmessage = ({ data }) => onEvent(JSON.parse(String(data)) as StreamEventJson);
            return () => source.close();
          },
          read: ({ log, stream }) => call.jobs.getUpdate({ workspace, id, query: { log_offset: log, stream_offset: stream } }),
        },
        (update, next) => {
          offsets = next;
          const { new_logs = "", new_result_stream = "" } = update;
          if (new_logs || new_result_stream) {
            const log = growing.add(new_logs);
            setReceived(({ stream }) => ({ log, stream: stream + new_result_stream }));
          }
          if (update.completed || update.flow_status || update.running) void queries.invalidateQueries({ queryKey: runKey(workspace, id) });
        },
      );
    };
    const change = () => (document.hidden ? close() : open());
    if (!document.hidden) open();
    document.addEventListener("visibilitychange", change);
    return () => {
      document.removeEventListener("visibilitychange", change);
      close();
    };
  }, [workspace, id, isOpen, queries]);
  const whole = useMemo(() => (ended.data === undefined ? undefined : splitLog(ended.data)), [ended.data]);
  return { log: whole ?? received.log, stream: received.stream };
}
