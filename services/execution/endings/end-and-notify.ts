import type { HeadChange } from "../../../aws/dynamodb/job-items.ts";
import type { EndedJob, Job } from "../../../core/jobs/record/job.ts";
import type { Ending } from "../../../core/jobs/record/lifecycle.ts";
import { endJob } from "../../jobs/lifecycle/end/end-job.ts";
import type { Uses } from "../../uses.ts";

/** Called after a job has ended, and may be called again for the same job. */
export type JobEndedListener = (ended: EndedJob) => Promise<unknown>;

/** Informs the listeners about an ended job. Rethrows the error of a listener, after which later listeners are not called. */
export async function notifyJobEnded({ onJobEnded }: Uses<"onJobEnded">, ended: EndedJob): Promise<void> {
  for (const listener of onJobEnded) await listener(ended);
}

/** Ends a job without a report of its runner, then informs the listeners. Returns `undefined` if another caller changed the job first. */
export async function endJobAndNotify(
  deps: Uses<"followUps" | "onJobEnded" | "jobs" | "storage" | "nowMs" | "pause" | "maxRetryMs">,
  job: Job,
  ending: Ending,
  extra: HeadChange = {},
): Promise<EndedJob | undefined> {
  const ended = await endJob(deps, job, ending, extra);
  if (ended) await notifyJobEnded(deps, ended);
  return ended;
}
