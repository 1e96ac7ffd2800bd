import { SvcError } from "../../../contract/errors.ts";
import type { Job } from "../../../core/jobs/record/job.ts";
import { firstDueMs } from "../../../core/jobs/record/lifecycle.ts";
import type { Uses } from "../../uses.ts";
import { sendJob } from "./enqueue.ts";

/**
 * Makes a scheduled job run at once. Its time is changed first, so that housekeeping sends the job if this process dies in between. The
 * message for its original time then finds the job no longer queued. Throws `job.notQueued`.
 */
export async function runJobNow({ jobs, queue, nowMs }: Uses<"jobs" | "queue" | "nowMs">, { id }: Job): Promise<void> {
  const now = nowMs();
  const changed = await jobs.update(id, { scheduledForMs: now, dueAtMs: firstDueMs(now) }, { attr: "state", eq: "queued" });
  if (!changed) throw new SvcError("job.notQueued", { id });
  await sendJob({ queue, nowMs }, changed);
}
