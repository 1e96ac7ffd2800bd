import { SvcError } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import { getScheduledMs, type Job, SHARDS } from "../../../core/jobs/record/job.ts";
import { lastDueMs } from "../../../core/jobs/record/lifecycle.ts";
import type { Uses } from "../../uses.ts";

/** The number of heads that one request reads. */
const STEP = 100;

/**
 * Refuses a call if `limit` jobs of the workspace are waiting to run. This slows callers down and is not a lock: two concurrent calls may
 * both take the last place. Throws `queue.full`.
 */
export async function checkQueueLimit(
  { jobs, nowMs }: Uses<"jobs" | "nowMs">,
  workspace: string,
  limit: number | undefined,
): Promise<void> {
  if (limit === undefined) return;
  if (limit === 0) throw new SvcError("queue.full", { limit });
  const now = nowMs();
  const isWaiting = (job: Job) => job.state === "queued" && (job.scheduledForMs ?? 0) <= now;
  if ((await countDueJobs({ jobs }, { workspace, untilMs: now, limit, onlyLimit: true }, isWaiting)) >= limit)
    throw new SvcError("queue.full", { limit });
}

/**
 * Returns the position in the workspace's queue of a job that is scheduled for a time (epoch ms): the number of waiting jobs until then, at most
 * `limits.queuePosition`. `undefined` if no job waits.
 */
export async function findQueuePosition({ jobs }: Uses<"jobs">, workspace: string, atMs: number): Promise<number | undefined> {
  const isWaiting = (job: Job) => job.state === "queued" && getScheduledMs(job) <= atMs;
  const limit = limits.queuePosition;
  const waiting = await countDueJobs({ jobs }, { workspace, untilMs: atMs, limit }, isWaiting);
  return waiting === 0 ? undefined : Math.min(waiting, limit);
}

/**
 * Counts the jobs of a workspace that are due until a time (epoch ms) and match. It stops when `limit` is reached and, with `onlyLimit`, when it
 * can no longer be reached.
 */
async function countDueJobs(
  { jobs }: Uses<"jobs">,
  { workspace, untilMs, limit, onlyLimit = false }: { workspace: string; untilMs: number; limit: number; onlyLimit?: boolean },
  matches: (job: Job) => boolean,
): Promise<number> {
  // Jobs that wait to run at that time are due by then. Most jobs that are scheduled later come after them.
  const dueMs = lastDueMs(untilMs);
  const shards = await Promise.all(Array.from({ length: SHARDS }, (_, shard) => jobs.listDue(shard, dueMs, limits.listScan)));
  const ids = shards.flat().flatMap((entry) => (entry.workspace === workspace ? [entry.id] : []));
  let found = 0;
  // Running jobs are in the index too, so their heads are read.
  for (let at = 0; found < limit && at < ids.length && (!onlyLimit || found + ids.length - at >= limit); at += STEP) {
    found += (await jobs.batchGet(ids.slice(at, at + STEP))).filter(matches).length;
  }
  return found;
}
