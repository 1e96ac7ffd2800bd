import type { EndedJob, EndState, Job } from "../../../core/jobs/record/job.ts";
import { countEndedJob, reportFailure } from "../../../core/telemetry/telemetry.ts";
import type { Uses } from "../../uses.ts";

/** Connects the end of a job with other domains, for example with the error handler of its workspace. */
export interface FollowUps {
  /** Returns whether something may follow when the job ends in this state. It is called before the end is written, because the same write records the answer. */
  areWanted(job: Job, state: EndState): Promise<boolean>;
  /** Queues the follow-ups. */
  request(ended: EndedJob): Promise<void>;
}

/**
 * The time after the end at which housekeeping queues the follow-ups again, because the process that ended the job may have died before it did
 * so.
 */
const ASK_AGAIN_MS = 60_000;
const MAX_ASK_AGAIN_MS = 3600_000;

/** Returns the time (epoch ms) at which housekeeping queues the follow-ups of a job again. The interval grows with the time since the end. */
export const nextFollowUpMs = ({ endedAtMs }: Pick<EndedJob, "endedAtMs">, nowMs: number): number =>
  nowMs + Math.min(Math.max(nowMs - endedAtMs, ASK_AGAIN_MS), MAX_ASK_AGAIN_MS);

/**
 * Returns the field that records, together with the end of a job, that it has follow-ups. If this cannot be read now, the field is set: the
 * worker that starts the follow-ups reads it again, and the end is not delayed.
 */
export async function buildFollowUp({ followUps }: Uses<"followUps">, job: Job, state: EndState): Promise<{ followUp?: true }> {
  try {
    return (await followUps.areWanted(job, state)) ? { followUp: true } : {};
  } catch (error) {
    reportFailure("It is unknown whether a handler follows the end of a job; a worker checks again", error, { job: job.id });
    return { followUp: true };
  }
}

/** Counts a job that has just ended, and queues its follow-ups. */
export async function announceEnd(deps: Uses<"followUps">, ended: EndedJob): Promise<void> {
  countEndedJob(ended);
  await requestFollowUp(deps, ended);
}

/** Queues the follow-ups of an ended job, if its end recorded that it has any. A failure is harmless, because housekeeping queues them again. */
export async function requestFollowUp({ followUps }: Uses<"followUps">, ended: EndedJob): Promise<void> {
  if (!ended.followUp) return;
  await followUps
    .request(ended)
    .catch((error: unknown) =>
      reportFailure("The handlers of an ended job could not be requested; housekeeping repeats it", error, { job: ended.id }),
    );
}
