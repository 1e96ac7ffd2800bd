import { limits } from "../../contract/limits.ts";
import { hasEnded, type Job } from "../../core/jobs/job.ts";
import { type Ending, failure, isLost, type JobMessage } from "../../core/jobs/lifecycle.ts";
import { type Limiting, leave } from "../jobs/concurrency/concurrency.ts";
import { endWith, type Finishing } from "../jobs/lifecycle/finish.ts";

type Burying = Finishing & Limiting;

/**
 * What becomes of a message that failed too often. A job that never started is queued again, as often as a lost one; one that
 * did start fails with the reason, unless its lease lives: then somebody runs it.
 */
export async function bury(burying: Burying, message: JobMessage): Promise<"nothing" | "queued" | "failed"> {
  const { jobs, queue, nowMs } = burying;
  const job = await jobs.get(message.job);
  if (!job || hasEnded(job)) return "nothing";
  if (job.state === "running") {
    // A flow's execution goes on without a message.
    if (job.flow?.plan || !isLost(job, nowMs())) return "nothing";
    const ending = failure({
      name: "WorkerLost",
      message: "The job was started, its worker was lost, and its message failed too often to try again.",
    });
    return end(burying, job, ending);
  }
  if (job.losses + 1 >= limits.maxAttempts) {
    const ending = failure({
      name: "NotStarted",
      message: `The job could not be started: its message failed in all ${limits.maxAttempts} rounds.`,
    });
    return end(burying, job, ending);
  }
  const again = await jobs.change(
    job.id,
    { losses: jobs.oneMore },
    {
      and: [
        { attr: "state", eq: "queued" },
        { attr: "losses", eq: job.losses },
      ],
    },
  );
  if (!again) return "nothing";
  await queue.send(job);
  return "queued";
}

async function end(burying: Burying, job: Job, ending: Ending): Promise<"nothing" | "failed"> {
  const ended = await endWith(burying, job, ending);
  if (ended) await leave(burying, ended);
  return ended ? "failed" : "nothing";
}
