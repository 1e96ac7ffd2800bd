import type { RunningJob } from "../../core/jobs/job.ts";
import { canceledEnding, type JobMessage } from "../../core/jobs/lifecycle.ts";
import { cancelOfParent } from "../jobs/cancel/cancel-of-parent.ts";
import { type ConcurrencyDeps, claimWithSlot } from "../jobs/concurrency/concurrency.ts";
import { claimJob } from "../jobs/lifecycle/claim.ts";
import type { FinishedJob } from "../jobs/lifecycle/finish.ts";
import { endJobAndNotify } from "./end-and-notify.ts";
import { type RunJobDeps, runJob } from "./run-job.ts";

/** `worker` names this process in the job's record. */
type HandleJobMessageDeps = RunJobDeps & ConcurrencyDeps & { worker: string };

/**
 * Claims the job of one message and runs it. A repeated message, or one for a job that has ended, does nothing. Returns the ended job,
 * or `undefined` if there was nothing to do or the job continues elsewhere.
 */
export async function handleJobMessage(deps: HandleJobMessageDeps, message: JobMessage): Promise<FinishedJob | undefined> {
  const { job: id, group } = message;
  const job = group === undefined ? await claimJob(deps, id) : await claimWithSlot(deps, id, group);
  if (!job) return undefined;
  return (await endIfCanceled(deps, job)) ?? runJob(deps, job);
}

/** A job that was returned to the queue after it was canceled does not begin again, and a step does not begin after its flow has ended. */
async function endIfCanceled(deps: HandleJobMessageDeps, job: RunningJob): Promise<FinishedJob | undefined> {
  const cancel = job.cancel ?? (await cancelOfParent(deps, job));
  if (!cancel) return undefined;
  return endJobAndNotify(deps, job, canceledEnding(cancel), { cancel });
}
