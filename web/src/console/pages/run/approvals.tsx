import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { waitingQuery } from "../../data/waiting.ts";
import { loadOnDemand } from "../../frame/load-on-demand.tsx";
import type { RunJob } from "./use-run.ts";

const ApprovalHere = loadOnDemand(() => import("../../parts/approval/approval.tsx"));

/** The requests of a run that waits. A step of a subflow may wait while the run itself continues. A decided request stays, with its outcome. */
export function Approvals({ workspace, run }: { workspace: string; run: RunJob }) {
  const waiting = useQuery(waitingQuery(workspace));
  const shown = useRef(new Set<string>());
  for (const { gate_id, run_id, flow_id } of waiting.data?.requests ?? []) {
    if (run_id === run.id || flow_id === run.id) shown.current.add(gate_id);
  }
  // Others decide: the request is shown with its conditions.
  const isWaiting = run.type === "QueuedJob" && (run.state === "suspended" || run.state === "awaiting_approval");
  const ids = shown.current.size === 0 && isWaiting && waiting.data ? [run.id] : [...shown.current];
  return ids.map((id) => <ApprovalHere key={id} workspace={workspace} id={id} />);
}
