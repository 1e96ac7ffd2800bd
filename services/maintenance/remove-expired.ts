import type { ObjectTable } from "../../aws/dynamodb/object-table.ts";
import { limits } from "../../contract/limits.ts";
import { buildListKey, buildListPartitions } from "../../core/jobs/job.ts";
import { keys } from "../../core/objects/keys.ts";
import { type RemoveJobDeps, removeJob } from "../jobs/erasure/remove-job.ts";

export type RemoveExpiredDeps = RemoveJobDeps & { objects: ObjectTable; nowMs: () => number };

const EXPIRED_PER_SHARD = 200;

/**
 * Removes jobs and events after their retention, until `untilMs` (epoch ms), and returns how many jobs were removed. DynamoDB's TTL removes
 * the items too, but not the S3 objects of jobs, and not on the local engine.
 */
export async function removeExpired(deps: RemoveExpiredDeps, workspaces: readonly string[], untilMs: number): Promise<number> {
  const { jobs, objects, nowMs } = deps;
  const now = nowMs();
  let removed = 0;
  const to = buildListKey(now - limits.jobRetentionMs, "");
  for (const workspace of workspaces) {
    // Event keys begin with their time, so the oldest come first.
    for (const key of await objects.listExpired(keys.outbox(workspace, "").pk, EXPIRED_PER_SHARD)) await objects.deleteItem(key);
    for (const partition of buildListPartitions(workspace)) {
      const { entries } = await jobs.list({ index: "list", partition, to, limit: EXPIRED_PER_SHARD, ascending: true });
      for (const { id } of entries) {
        const job = await jobs.get(id, { expired: true });
        if (!job || job.expiresAtMs > now) continue;
        await removeJob(deps, job);
        removed += 1;
        if (Date.now() >= untilMs) return removed;
      }
    }
  }
  return removed;
}
