import { SvcError } from "../../contract/errors.ts";
import { hasEnded, type Job } from "../../core/jobs/job.ts";
import { canceled } from "../../core/jobs/lifecycle.ts";
import { type Limiting, leave } from "./concurrency.ts";
import { endWith, type Finishing } from "./finish.ts";

/** The most often a cancellation looks again when the job moves on under it. */
const TRIES = 5;

/**
 * Cancels a job: a waiting one ends at once, a running one is marked, and its runner learns it from its next beat. `force` ends
 * the record at once. Throws `job.ended`.
 */
export async function cancel(canceling: Finishing & Limiting, job: Job, by: string, reason: string, force: boolean): Promise<string> {
  const { jobs } = canceling;
  const mark = { by, reason };
  for (let current = job, tries = 0; tries < TRIES; tries += 1) {
    if (hasEnded(current)) throw new SvcError("job.ended", { id: job.id, state: current.state });
    if (current.state === "queued" || force) {
      const ended = await endWith(canceling, { ...current, cancel: mark }, canceled(mark), "", { cancel: mark });
      if (ended) {
        // Canceled it is, whether or not its slot could be given on: if not, housekeeping does it.
        await leave(canceling, ended).catch(() => undefined);
        return `The job ${job.id} is canceled.`;
      }
    } else if (
      await jobs.change(
        job.id,
        { cancel: mark },
        {
          and: [
            { attr: "state", eq: "running" },
            { attr: "nonce", eq: current.nonce },
          ],
        },
      )
    ) {
      return `The job ${job.id} is being canceled: its runner stops within seconds.`;
    }
    const next = await jobs.get(job.id);
    if (!next) throw new SvcError("job.notFound", { id: job.id });
    current = next;
  }
  throw new Error(`The job ${job.id} kept changing while it was being canceled.`);
}
