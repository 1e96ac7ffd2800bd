import { limits } from "../../../contract/limits.ts";
import type { JobStatsJson, StatState } from "../../../contract/routes/jobs/job-lists.ts";
import { readErrorPreview } from "../../../contract/utilities/error-preview.ts";
import { toIsoTime } from "../../../contract/utilities/iso-time.ts";
import { getScheduledMs, getWaitState, hasEnded, type Job } from "../record/job.ts";
import { getPreviews } from "../record/preview.ts";

/** A range of creation times (epoch ms), of which the start is inclusive and the end is exclusive, in buckets of equal length. */
export interface StatsRange {
  fromMs: number;
  toMs: number;
  bucketMs: number;
}

/** Returns the range of whole buckets that contains the requested times. Without a start, it has `most` buckets. */
export function buildStatsRange(
  { fromMs, toMs, bucketMs }: { fromMs: number | undefined; toMs: number; bucketMs: number },
  most: number,
): StatsRange {
  const lastStartMs = Math.floor(toMs / bucketMs) * bucketMs;
  const firstStartMs = fromMs === undefined ? lastStartMs - (most - 1) * bucketMs : Math.floor(fromMs / bucketMs) * bucketMs;
  return { fromMs: Math.max(0, Math.min(firstStartMs, lastStartMs)), toMs: lastStartMs + bucketMs, bucketMs };
}

/** Returns the number of buckets of a range. */
export const countBuckets = ({ fromMs, toMs, bucketMs }: StatsRange): number => Math.ceil((toMs - fromMs) / bucketMs);

/** Counts jobs by state in buckets of their creation, and measures the durations of those that have ended after their start. */
export function summarizeJobs(jobs: readonly Job[], { fromMs, toMs, bucketMs }: StatsRange, nowMs: number): JobStatsJson["buckets"] {
  const buckets = new Map<number, { counts: Partial<Record<StatState, number>>; durationsMs: number[] }>();
  for (const job of jobs) {
    if (job.createdAtMs < fromMs || job.createdAtMs >= toMs) continue;
    const start = Math.floor(job.createdAtMs / bucketMs) * bucketMs;
    const bucket = buckets.get(start) ?? { counts: {}, durationsMs: [] };
    buckets.set(start, bucket);
    const state = findStatState(job, nowMs);
    bucket.counts[state] = (bucket.counts[state] ?? 0) + 1;
    if (hasEnded(job) && job.startedAtMs !== undefined) bucket.durationsMs.push(job.endedAtMs - job.startedAtMs);
  }
  return [...buckets]
    .sort(([a], [b]) => a - b)
    .map(([start, { counts, durationsMs }]) => ({ start: toIsoTime(start), counts, ...measureDurations(durationsMs) }));
}

/**
 * Counts the errors of the failed jobs of a range by their name and the beginning of their message, as previews show it to everyone who may read a job.
 * The most frequent errors are first.
 */
export function summarizeErrors(jobs: readonly Job[], { fromMs, toMs }: StatsRange): Pick<JobStatsJson, "error_kinds" | "errors"> {
  const groups = new Map<string, JobStatsJson["errors"][number]>();
  for (const job of jobs) {
    if (job.state !== "failed" || job.createdAtMs < fromMs || job.createdAtMs >= toMs) continue;
    const error = readErrorPreview(getPreviews(job).result_preview);
    if (!error) continue;
    const key = JSON.stringify(error);
    groups.set(key, { ...error, count: (groups.get(key)?.count ?? 0) + 1 });
  }
  const errors = [...groups.values()].sort((a, b) => b.count - a.count).slice(0, limits.statsErrors);
  return { error_kinds: groups.size, errors };
}

function findStatState(job: Job, nowMs: number): StatState {
  if (job.state === "queued") return getScheduledMs(job) > nowMs ? "scheduled" : "queued";
  return job.state === "running" ? (getWaitState(job) ?? "running") : job.state;
}

function measureDurations(durationsMs: readonly number[]) {
  if (durationsMs.length === 0) return {};
  const sorted = [...durationsMs].sort((a, b) => a - b);
  const quantile = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  return { p50_ms: quantile(0.5), p95_ms: quantile(0.95), max_ms: sorted.at(-1) };
}
