import { SvcError } from "../../../contract/errors.ts";
import { hasEnded, type Job } from "../../../core/jobs/record/job.ts";
import { canceledEnding } from "../../../core/jobs/record/lifecycle.ts";
import { reportFailure } from "../../../core/telemetry/telemetry.ts";
import type { Uses } from "../../uses.ts";
import { releaseSlot } from "../concurrency/concurrency.ts";
import { endJob } from "../lifecycle/end/end-job.ts";
import { buildStopping } from "../lifecycle/stopping.ts";

/** Called after the record of a canceled job has ended, perhaps repeatedly, to stop everything else that runs for the job. */
export type JobCanceledListener = (job: Job, canceled: { by: string; reason: string }) => Promise<unknown>;

export type CancelJobDeps = Uses<
  "followUps" | "onJobCanceled" | "jobs" | "storage" | "concurrency" | "queue" | "nowMs" | "pause" | "maxRetryMs"
>;

export interface Cancellation {
  by: string;
  reason: string;
  /** Ends the record at once, without waiting for the runner. */
  force?: boolean;
}

/** The number of attempts of a cancellation when the job changes state in between. */
const TRIES = 5;

/**
 * Cancels a job and returns one sentence about it. A waiting job or a flow ends at once. A running script is marked, and its runner stops
 * at its next heartbeat, unless `force` ends the record at once. Steps of a flow stop before they begin, or at their next heartbeat. Throws
 * `job.ended` and `job.notFound`.
 */
export async function cancelJob(deps: CancelJobDeps, job: Job, { by, reason, force = false }: Cancellation): Promise<string> {
  const { jobs, onJobCanceled } = deps;
  const cancel = { by, reason };
  for (let current = job, tries = 0; tries < TRIES; tries += 1) {
    if (hasEnded(current)) {
      // The call that ended the job may have died before it stopped everything.
      const canceled = current.stopping ?? current.cancel;
      if (canceled) for (const listener of onJobCanceled) await listener(current, canceled);
      throw new SvcError("job.ended", { id: job.id, state: current.state });
    }
    if (current.state === "queued" || force || current.flow?.plan) {
      const extra = { cancel, ...buildStopping(current, cancel) };
      const ended = await endJob(deps, { ...current, cancel }, canceledEnding(cancel), extra);
      if (ended) {
        for (const listener of onJobCanceled) await listener(current, cancel);
        // The job is canceled even if its slot cannot be released now: housekeeping releases it then.
        await releaseSlot(deps, ended).catch((error: unknown) =>
          reportFailure("The slot of a canceled job could not be released; housekeeping repairs its group", error, { job: ended.id }),
        );
        return `The job ${job.id} is canceled.`;
      }
    } else if (
      await jobs.update(
        job.id,
        { cancel },
        {
          and: [
            { attr: "state", eq: "running" },
            { attr: "nonce", eq: current.nonce },
          ],
        },
      )
    ) {
      return `The job ${job.id} is being canceled. Its runner stops within seconds.`;
    }
    const next = await jobs.get(job.id);
    if (!next) throw new SvcError("job.notFound", { id: job.id });
    current = next;
  }
  throw new Error(`The job ${job.id} could not be canceled, because other requests changed it repeatedly. Try again.`);
}
