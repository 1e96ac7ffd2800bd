import { mapInParallel } from "../../contract/utilities/map-in-parallel.ts";
import type { Job, QueuedJob } from "../../core/jobs/record/job.ts";
import { isHighPriority, isSendable, nextSendMs, queueDelayS } from "../../core/jobs/record/lifecycle.ts";
import type { DueEntry } from "../../ports/job-store.ts";
import { retainWaitingJob } from "../jobs/queue/retain-waiting-job.ts";
import type { Uses } from "../uses.ts";

export interface DueJob {
  entry: DueEntry;
  job: QueuedJob;
}

/** The number of jobs that are claimed concurrently. A shard of the index takes about 500 such writes in a second. */
const CLAIMS_AT_ONCE = 12;

/** No message could be sent, because the queue refuses all of them. */
class QueueFailed extends Error {
  override readonly name = "QueueFailed";
}

/**
 * Sends the messages of queued jobs that are due, those with a priority first, and returns the number of sent messages. The time of the next check is written
 * before the message is sent, on condition that the job is still due as it was read: of two ticks one sends it, and a job whose tick dies in between
 * is late, but neither lost nor sent twice. `isolate` runs the work for one job and returns whether it succeeded; if not, the job is due again.
 * Throws `QueueFailed` if no message could be sent.
 */
export async function sendDueJobs(
  deps: Uses<"jobs" | "objects" | "storage" | "queue" | "nowMs">,
  due: readonly DueJob[],
  now: number,
  isolate: (entry: DueEntry, work: () => Promise<unknown>) => Promise<boolean>,
): Promise<number> {
  const { jobs, queue } = deps;
  const inOrder = due.toSorted((a, b) => Number(isHighPriority(b.job)) - Number(isHighPriority(a.job)));
  const claimed = new Map<string, { entry: DueEntry; job: Job; nextMs: number }>();
  await mapInParallel(inOrder, CLAIMS_AT_ONCE, ({ entry, job }) =>
    isolate(entry, async () => {
      await retainWaitingJob(deps, job);
      const nextMs = nextSendMs(now, job);
      const asRead = { and: [{ attr: "state", eq: "queued" } as const, { attr: "dueAtMs", eq: entry.dueAtMs } as const] };
      const found = await jobs.update(entry.id, { dueAtMs: nextMs }, asRead);
      if (found && isSendable(found.scheduledForMs, now)) claimed.set(entry.id, { entry, job: found, nextMs });
    }),
  );
  const messages = inOrder.flatMap(({ entry }) => {
    const job = claimed.get(entry.id)?.job;
    return job ? [{ job, delayS: queueDelayS(job.scheduledForMs, now) }] : [];
  });
  if (messages.length === 0) return 0;
  const refused = await queue.sendMessages(messages);
  let lost = 0;
  // Sending the message alone shows whether the message itself is the reason.
  await mapInParallel(refused, CLAIMS_AT_ONCE, async ({ id }) => {
    const { entry, job, nextMs } = claimed.get(id) ?? {};
    if (!entry || !job || nextMs === undefined) return;
    const send = () => queue.sendMessage(job, queueDelayS(job.scheduledForMs, now));
    if (!(await isolate({ ...entry, dueAtMs: nextMs }, send))) lost += 1;
  });
  if (lost === messages.length && lost > 1) {
    throw new QueueFailed(`The messages of ${lost} jobs could not be sent.`, { cause: refused[0]?.error });
  }
  return messages.length - lost;
}
