import { scheduleTable } from "../../../aws/dynamodb/schedule-table.ts";
import type { Uses } from "../../../services/uses.ts";

/** Starts the follow-ups of an ended job. The mark of the job is removed last. */
export const startFollowUps = (deps: Uses<"jobs" | "objects" | "storage" | "queue" | "nowMs">) => async (job: string) => {
  // Loaded on first use, so that the functions start faster.
  const { continueScheduleAfter } = await import("../../../services/schedules/change-run.ts");
  const { startOutcomeHandlers } = await import("../../../services/outcome-handlers/start-outcome-handlers.ts");
  const { reportRunEnd } = await import("../../../services/chats/report-run-end.ts");
  await continueScheduleAfter({ ...deps, schedules: scheduleTable }, job);
  await reportRunEnd(deps, job);
  await startOutcomeHandlers(deps, job);
};
