import type { Job } from "../../../core/jobs/record/job.ts";
import { findPreviousRun, type IdempotencyKey } from "../../jobs/queue/create-job-record.ts";
import { enqueueJob } from "../../jobs/queue/enqueue.ts";
import { checkQueueLimit } from "../../jobs/queue/queue-limit.ts";
import type { Uses } from "../../uses.ts";
import { createCheckedJob, type RunCall } from "./run-request.ts";

export interface StartRunOptions {
  /** The call is refused if this many jobs of the workspace are waiting. */
  queueLimit?: number | undefined;
  /** Until this time (epoch ms), a reader follows the run, and its runner sends output at short intervals. */
  watchedUntilMs?: number | undefined;
  /** The key under which a new run is recorded, which includes the request's own. */
  streamKey?: IdempotencyKey | undefined;
}

/**
 * Queues a run and returns its job's id. A call with a known idempotency key starts nothing and returns the earlier job, with `replayed`.
 * Throws `run.arguments`, `job.idTaken`, `idempotency.reused`, `queue.full` and `file.storageOff`.
 */
export async function startRun(
  deps: Uses<"jobs" | "objects" | "storage" | "queue" | "nowMs">,
  request: RunCall,
  { queueLimit, watchedUntilMs, streamKey }: StartRunOptions = {},
): Promise<{ id: string; replayed: boolean }> {
  const previous = await findPreviousRunOf(deps, request);
  if (previous) return { id: previous.id, replayed: true };
  await checkQueueLimit(deps, request.job.workspace, queueLimit);
  const job = await createCheckedJob(deps, request);
  const watched = watchedUntilMs === undefined ? job : { ...job, watchedUntilMs };
  const { id } = await enqueueJob(deps, streamKey ? { ...watched, idempotencyKey: streamKey } : watched);
  return { id, replayed: false };
}

/** Returns the job that an earlier call with the request's idempotency key started. Throws `idempotency.reused`. */
export async function findPreviousRunOf(deps: Uses<"jobs" | "objects" | "nowMs">, request: RunCall): Promise<Job | undefined> {
  const { idempotencyKey: key } = request.job;
  return key && findPreviousRun(deps, key);
}
