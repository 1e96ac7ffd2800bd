import type { JobTable } from "../../../aws/dynamodb/job-table.ts";
import { SvcError } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import { type Job, SHARDS } from "../../../core/jobs/job.ts";
import { firstDueMs } from "../../../core/jobs/lifecycle.ts";

/** Heads read at a time: as many as one request holds. */
const STEP = 100;

/**
 * Refuses a call whose job would be one too many among those that wait in the workspace: their time has come and nobody runs them. It keeps
 * callers from piling up and is no lock: of two calls at once both may find the last place. Throws `queue.full`.
 */
export async function checkQueueLimit(
  { jobs, nowMs }: { jobs: JobTable; nowMs: () => number },
  workspace: string,
  limit: number | undefined,
): Promise<void> {
  if (limit === undefined) return;
  if (limit === 0) throw new SvcError("queue.full", { limit });
  const now = nowMs();
  // Whoever waits to be run now is looked after by then; what waits for a later time stands behind it.
  const untilMs = firstDueMs(now);
  const shards = await Promise.all(Array.from({ length: SHARDS }, (_, shard) => jobs.due(shard, untilMs, limits.listScan)));
  const ids = shards.flat().flatMap((entry) => (entry.workspace === workspace ? [entry.id] : []));
  // Jobs that run stand in the index as well: only where even all of them could be too many are they told apart.
  let waiting = 0;
  for (let at = 0; waiting + ids.length - at >= limit && at < ids.length; at += STEP) {
    waiting += (await jobs.getMany(ids.slice(at, at + STEP))).filter((job) => isWaiting(job, now)).length;
    if (waiting >= limit) throw new SvcError("queue.full", { limit });
  }
}

const isWaiting = (job: Job, nowMs: number) => job.state === "queued" && (job.scheduledForMs ?? 0) <= nowMs;
