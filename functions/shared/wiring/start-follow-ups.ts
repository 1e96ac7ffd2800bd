import type { ObjectTable } from "../../../aws/dynamodb/object-table.ts";
import { scheduleTable } from "../../../aws/dynamodb/schedule-table.ts";
import type { EnqueueDeps } from "../../../services/jobs/queue/enqueue.ts";
import type { StartOutcomeHandlersDeps } from "../../../services/outcome-handlers/start-outcome-handlers.ts";

type StartFollowUpsDeps = StartOutcomeHandlersDeps & EnqueueDeps & { objects: ObjectTable };

/** Starts the follow-ups of an ended job. The mark of the job is removed last. */
export const startFollowUps = (deps: StartFollowUpsDeps) => async (job: string) => {
  // Loaded on first use, so that the functions start faster.
  const { continueScheduleAfter } = await import("../../../services/schedules/change-run.ts");
  const { startOutcomeHandlers } = await import("../../../services/outcome-handlers/start-outcome-handlers.ts");
  await continueScheduleAfter({ ...deps, schedules: scheduleTable }, job);
  await startOutcomeHandlers(deps, job);
};
