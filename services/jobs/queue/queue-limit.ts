import type { JobTable } from "../../../aws/dynamodb/job-table.ts";
import { SvcError } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import { type Job, SHARDS } from "../../../core/jobs/job.ts";
import { firstDueMs } from "../../../core/jobs/lifecycle.ts";

/** The number of heads that one request reads. */
const STEP = 100;

/**
 * Refuses a call if `limit` jobs of the workspace are waiting to run. This slows callers down and is not a lock: two concurrent calls may
 * both take the last place. Throws `queue.full`.
 */
export async function checkQueueLimit(
  { jobs, nowMs }: { jobs: JobTable; nowMs: () => number },
  workspace: string,
  limit: number | undefined,
): Promise<void> {
  if (limit === undefined) return;
  if (limit === 0) throw new SvcError("queue.full", { limit });
  const now = nowMs();
  // Jobs that wait to run now are due by then. Jobs that are scheduled later come after them.
  const untilMs = firstDueMs(now);
  const shards = await Promise.all(Array.from({ length: SHARDS }, (_, shard) => jobs.listDue(shard, untilMs, limits.listScan)));
  const ids = shards.flat().flatMap((entry) => (entry.workspace === workspace ? [entry.id] : []));
  // Running jobs are in the index too. Heads are read only while all remaining entries together could exceed the limit.
  let waiting = 0;
  for (let at = 0; waiting + ids.length - at >= limit && at < ids.length; at += STEP) {
    waiting += (await jobs.batchGet(ids.slice(at, at + STEP))).filter((job) => isWaiting(job, now)).length;
    if (waiting >= limit) throw new SvcError("queue.full", { limit });
  }
}

const isWaiting = (job: Job, nowMs: number) => job.state === "queued" && (job.scheduledForMs ?? 0) <= nowMs;
