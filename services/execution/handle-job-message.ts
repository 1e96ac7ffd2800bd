import type { RunningJob } from "../../core/jobs/job.ts";
import { canceledEnding, type JobMessage } from "../../core/jobs/lifecycle.ts";
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
  return (await endWithParent(deps, job)) ?? runJob(deps, job);
}

/** A step that has waited in the queue does not begin after its flow has ended. */
async function endWithParent(deps: HandleJobMessageDeps, job: RunningJob): Promise<FinishedJob | undefined> {
  if (!job.step || job.parent === undefined) return undefined;
  const parent = await deps.jobs.get(job.parent);
  if (parent?.state === "running" && !parent.cancel) return undefined;
  const cancel = parent?.cancel ?? { by: "svc", reason: "its flow has ended" };
  return endJobAndNotify(deps, job, canceledEnding(cancel), { cancel });
}
