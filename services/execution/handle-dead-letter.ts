import type { Queue } from "../../aws/sqs/queue.ts";
import { limits } from "../../contract/limits.ts";
import { hasEnded, type Job } from "../../core/jobs/job.ts";
import { type Ending, failedEnding, isLost, type JobMessage } from "../../core/jobs/lifecycle.ts";
import { countOutcome } from "../../core/telemetry/telemetry.ts";
import type { FinishJobDeps } from "../jobs/lifecycle/finish.ts";
import { endJobAndNotify, type JobEndedDeps, notifyJobEnded } from "./end-and-notify.ts";

type HandleDeadLetterDeps = FinishJobDeps & JobEndedDeps & { queue: Queue };

/**
 * Handles the message of a job that failed too often. A job that never started is queued again, as often as a lost one. A job that
 * did start fails with the reason, unless its lease is valid: then a worker still runs it.
 */
export async function handleDeadLetter(deps: HandleDeadLetterDeps, message: JobMessage): Promise<"nothing" | "queued" | "failed"> {
  const { jobs, queue, nowMs } = deps;
  countOutcome("DeadLetters");
  const job = await jobs.get(message.job);
  if (!job) return "nothing";
  if (hasEnded(job)) {
    // An earlier delivery of this message may have ended the job and failed in a listener.
    await notifyJobEnded(deps, job);
    return "nothing";
  }
  if (job.state === "running") {
    // A flow's execution needs no message to continue.
    if (job.flow?.plan || !isLost(job, nowMs())) return "nothing";
    const ending = failedEnding({
      name: "WorkerLost",
      message: "The job was started, its worker was lost, and its queue message failed too often to be retried.",
    });
    return endOrSkip(deps, job, ending);
  }
  if (job.losses + 1 >= limits.maxAttempts) {
    const ending = failedEnding({
      name: "NotStarted",
      message: `The job could not be started: its queue message failed in all ${limits.maxAttempts} delivery rounds.`,
    });
    return endOrSkip(deps, job, ending);
  }
  const again = await jobs.update(
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
  await queue.sendMessage(job);
  return "queued";
}

async function endOrSkip(deps: HandleDeadLetterDeps, job: Job, ending: Ending): Promise<"nothing" | "failed"> {
  return (await endJobAndNotify(deps, job, ending)) ? "failed" : "nothing";
}
