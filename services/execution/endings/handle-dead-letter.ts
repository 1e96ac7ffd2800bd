import { limits } from "../../../contract/limits.ts";
import { hasEnded } from "../../../core/jobs/record/job.ts";
import { failedEnding, isLost, type JobMessage } from "../../../core/jobs/record/lifecycle.ts";
import { countOutcome } from "../../../core/telemetry/telemetry.ts";
import type { Uses } from "../../uses.ts";
import { endJobAndNotify, notifyJobEnded } from "./end-and-notify.ts";

/**
 * Handles the message of a job that failed too often. A job that never started is queued again, unless the service has failed to start it repeatedly.
 * A job that did start fails with the reason, unless its lease is valid: then a worker still runs it.
 */
export async function handleDeadLetter(
  deps: Uses<"followUps" | "onJobEnded" | "jobs" | "storage" | "queue" | "nowMs" | "pause" | "maxRetryMs">,
  message: JobMessage,
): Promise<"nothing" | "queued" | "failed"> {
  const { jobs, queue, nowMs } = deps;
  countOutcome("DeadLetters");
  if (message.bulk) {
    // The action expires after a week, and its message with it.
    await queue.sendFollowUp({ id: message.job, workspace: message.bulk.workspace, bulk: message.bulk.person });
    return "queued";
  }
  const job = await jobs.get(message.job);
  if (!job) return "nothing";
  if (hasEnded(job)) {
    // An earlier delivery of this message may have ended the job and failed in a listener.
    await notifyJobEnded(deps, job);
    return "nothing";
  }
  const fail = async (name: string, reason: string) =>
    (await endJobAndNotify(deps, job, failedEnding({ name, message: reason }))) ? "failed" : "nothing";
  if (job.state === "running") {
    // A flow's execution needs no message to continue.
    if (job.flow?.plan || !isLost(job, nowMs())) return "nothing";
    return fail("WorkerLost", "The job was started, its worker was lost, and its queue message failed too often to be retried.");
  }
  // Each failure of the service to start the job was counted. Without a counted failure, Lambda had no worker for the message, which is no reason
  // to give up.
  if (job.losses >= limits.maxAttempts) {
    return fail("NotStarted", `The service failed to start this job ${job.losses} times.`);
  }
  await queue.sendMessage(job);
  return "queued";
}
