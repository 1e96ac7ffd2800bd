import type { JobJson } from "../../../../contract/routes/jobs/job.ts";
import type { stateText } from "../messages/frame.ts";

export type RunState = keyof typeof stateText;

type Head = Pick<JobJson, "type" | "canceled"> & {
  running?: boolean;
  success?: boolean;
  is_skipped?: boolean;
  scheduled_for?: string | undefined;
  state?: "suspended" | "awaiting_approval" | undefined;
};

/** Returns the state of a run, as the console words it. A queued job whose time has not come is scheduled. */
export function stateOf(job: Head, nowMs: number): RunState {
  if (job.type === "CompletedJob") {
    if (job.canceled) return "canceled";
    if (job.is_skipped) return "skipped";
    return job.success ? "succeeded" : "failed";
  }
  if (job.state) return job.state;
  if (job.running) return "running";
  return job.scheduled_for !== undefined && Date.parse(job.scheduled_for) > nowMs ? "scheduled" : "queued";
}

export const hasEnded = (state: RunState): boolean => ["succeeded", "failed", "canceled", "skipped"].includes(state);
