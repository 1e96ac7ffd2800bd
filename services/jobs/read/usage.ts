import { defined } from "../../../contract/defined.ts";
import type { UsageJson } from "../../../contract/routes/workspaces/setting-schemas.ts";
import { buildListKey, buildListPartitions, getStartMs, hasEnded, type Job } from "../../../core/jobs/record/job.ts";
import type { JobStore } from "../../../ports/job-store.ts";
import type { Uses } from "../../uses.ts";

const DAY_MS = 24 * 3600 * 1000;
/** The number of the newest jobs that one call reads in each shard of the list. */
const MOST_IN_SHARD = 2500;
const BATCH = 100;

/**
 * Sums up the ended jobs of a workspace that were created in the last days, by the day (UTC) of their end and by kind. It reads the jobs themselves, the newest first: a counter would cost one
 * more write of each job, for a figure that is read rarely.
 */
export async function readUsage({ jobs, nowMs }: Uses<"jobs" | "nowMs">, workspace: string, days: number): Promise<UsageJson> {
  const sinceMs = Math.floor(nowMs() / DAY_MS) * DAY_MS - (days - 1) * DAY_MS;
  const shards = await Promise.all(buildListPartitions(workspace).map((partition) => listIds({ jobs }, partition, sinceMs)));
  const sums = new Map<string, { day: string; kind: string; jobs: number; ms: number }>();
  const ids = shards.flatMap((shard) => shard.ids);
  for (let at = 0; at < ids.length; at += BATCH) {
    for (const job of await jobs.batchGet(ids.slice(at, at + BATCH))) addJob(sums, job);
  }
  const sorted = [...sums.entries()].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    since: toDay(sinceMs),
    complete: shards.every(({ complete }) => complete),
    days: sorted.map(([, { day, kind, jobs: count, ms }]) => ({ day, kind, jobs: count, seconds: Math.round(ms / 100) / 10 })),
  };
}

const toDay = (atMs: number) => new Date(atMs).toISOString().slice(0, 10);

async function listIds({ jobs }: Uses<"jobs">, partition: string, sinceMs: number) {
  const ids: string[] = [];
  let after: Awaited<ReturnType<JobStore["list"]>>["after"];
  do {
    const limit = MOST_IN_SHARD - ids.length;
    const page = await jobs.list({ index: "list", partition, from: buildListKey(sinceMs, ""), limit, ...defined({ after }) });
    ids.push(...page.entries.map(({ id }) => id));
    after = page.after;
  } while (after && ids.length < MOST_IN_SHARD);
  return { ids, complete: after === undefined };
}

function addJob(sums: Map<string, { day: string; kind: string; jobs: number; ms: number }>, job: Job): void {
  if (!hasEnded(job)) return;
  const { kind, endedAtMs } = job;
  const day = toDay(endedAtMs);
  const sum = sums.get(`${day} ${kind}`) ?? { day, kind, jobs: 0, ms: 0 };
  sums.set(`${day} ${kind}`, { ...sum, jobs: sum.jobs + 1, ms: sum.ms + Math.max(0, endedAtMs - getStartMs(job)) });
}
