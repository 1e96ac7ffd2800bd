import { isBusyError } from "../../contract/errors.ts";
import type { RunningJob } from "../../core/jobs/record/job.ts";
import { canceledEnding, type EndedJobWithResult, type JobMessage } from "../../core/jobs/record/lifecycle.ts";
import { reportFailure } from "../../core/telemetry/telemetry.ts";
import { cancelOfParent } from "../jobs/cancel/cancel-of-parent.ts";
import { claimWithSlot } from "../jobs/concurrency/concurrency.ts";
import { claimJob } from "../jobs/lifecycle/claim.ts";
import { retryWhileBusy } from "../jobs/lifecycle/retry-while-busy.ts";
import { postponeMessage } from "../jobs/queue/postpone-job.ts";
import type { Uses } from "../uses.ts";
import { decideEnd, type JobEnding } from "./endings/job-ending.ts";
import { beginJob, doAttempt, type RunJobDeps } from "./run-job.ts";

/** Makes the first claim of a job, together with the claimer's writes. Returns `undefined` if the job does not run now. */
export type JobClaimer = (message: JobMessage) => Promise<RunningJob | undefined>;

/**
 * Claims the job of one message and runs it, starts the follow-ups of an ended job, or continues a bulk action. A repeated message, or one for an ended job, has no
 * effect. If AWS refuses a call, the job is postponed. Returns the ended job, or `undefined` if there was nothing to do or the job continues
 * elsewhere. Throws if the service failed.
 */
export async function handleJobMessage(
  deps: RunJobDeps & Uses<"claimers" | "startFollowUps" | "continueBulk" | "concurrency" | "worker">,
  message: JobMessage,
): Promise<EndedJobWithResult | undefined> {
  const { job: id, group, bulk } = message;
  if (message.followUp) {
    await retryWhileBusy(deps, () => (bulk ? deps.continueBulk({ id, ...bulk }) : deps.startFollowUps(id)));
    return undefined;
  }
  let job: RunningJob | undefined;
  try {
    job = await (claimerOf(deps, message)?.(message) ?? (group === undefined ? claimJob(deps, id) : claimWithSlot(deps, id, group)));
  } catch (error) {
    if (!isBusyError(error)) {
      await countFailedStart(deps, id);
      throw error;
    }
    reportFailure("A message is postponed because AWS refused to claim its job", error, { job: id });
    await retryWhileBusy(deps, () => postponeMessage(deps, message));
    return undefined;
  }
  const claimed = job;
  if (!claimed) return undefined;
  return doAttempt(deps, claimed, async () => (await findCancellation(deps, claimed)) ?? beginJob(deps, claimed, {}));
}

const claimerOf = ({ claimers }: Uses<"claimers">, { claimer = "" }: JobMessage) =>
  Object.hasOwn(claimers, claimer) ? claimers[claimer] : undefined;

/** A job that was returned to the queue after it was canceled does not begin again, and a step does not begin after its flow has ended. */
async function findCancellation(deps: Uses<"jobs">, job: RunningJob): Promise<JobEnding | undefined> {
  const cancel = job.cancel ?? (await cancelOfParent(deps, job));
  return cancel && decideEnd(job, canceledEnding(cancel), { cancel });
}

/** The service failed to start a job. When its message has failed too often, this shows that no quota was the reason (handle-dead-letter.ts). */
async function countFailedStart({ jobs }: Uses<"jobs">, id: string): Promise<void> {
  await jobs
    .update(id, { losses: jobs.oneMore }, { attr: "state", eq: "queued" })
    .catch((error: unknown) => reportFailure("A failed start could not be counted", error, { job: id }));
}
