import { type ObjectTable, objectTable } from "../../../aws/dynamodb/object-table.ts";
import { scheduleTable } from "../../../aws/dynamodb/schedule-table.ts";
import { queue } from "../../../aws/sqs/queue.ts";
import { connectHandlers } from "../../../services/handlers/follow-ups.ts";
import type { StartHandlersDeps } from "../../../services/handlers/start-handlers.ts";
import type { EnqueueDeps } from "../../../services/jobs/queue/enqueue.ts";

/** Connects the end of a job with the handlers and the schedule that follow it. Every function that ends jobs uses it. */
export const followUps = connectHandlers({ objects: objectTable, queue, nowMs: Date.now });

type StartFollowUpsDeps = StartHandlersDeps & EnqueueDeps & { objects: ObjectTable };

/** Starts everything that follows an ended job. The mark of the job is removed last. */
export const startFollowUps = (deps: StartFollowUpsDeps) => async (job: string) => {
  // Loaded on first use, so that the functions start faster.
  const { continueScheduleAfter } = await import("../../../services/schedules/change-run.ts");
  await continueScheduleAfter({ ...deps, schedules: scheduleTable }, job);
  const { startHandlers } = await import("../../../services/handlers/start-handlers.ts");
  await startHandlers(deps, job);
};
