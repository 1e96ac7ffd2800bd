import type { ObjectTable } from "../../../aws/dynamodb/object-table.ts";
import { scheduleTable } from "../../../aws/dynamodb/schedule-table.ts";
import type { StartHandlersDeps } from "../../../services/handlers/start-handlers.ts";
import type { EnqueueDeps } from "../../../services/jobs/queue/enqueue.ts";

type StartFollowUpsDeps = StartHandlersDeps & EnqueueDeps & { objects: ObjectTable };

/** Starts everything that follows an ended job. The mark of the job is removed last. */
export const startFollowUps = (deps: StartFollowUpsDeps) => async (job: string) => {
  // Loaded on first use, so that the functions start faster.
  const { continueScheduleAfter } = await import("../../../services/schedules/change-run.ts");
  const { startHandlers } = await import("../../../services/handlers/start-handlers.ts");
  await continueScheduleAfter({ ...deps, schedules: scheduleTable }, job);
  await startHandlers(deps, job);
};
