import { defined, mapDefined } from "../../../../contract/defined.ts";
import { SvcError } from "../../../../contract/errors.ts";
import { limits } from "../../../../contract/limits.ts";
import type { JobStatsJson, JobStatsQuery } from "../../../../contract/routes/jobs/job-lists.ts";
import { toIsoTime } from "../../../../contract/utilities/iso-time.ts";
import { buildStatsRange, countBuckets, summarizeErrors, summarizeJobs } from "../../../../core/jobs/lists/stats.ts";
import type { Uses } from "../../../uses.ts";
import { createVisibilityFilter, type JobCaller } from "../read.ts";
import { findInWorkspaces, findSearchedWorkspaces, parseSubset } from "./list.ts";

const HOUR_S = 3600;

/**
 * Counts the jobs that match a query and that the caller may see, and their errors, and measures their durations, in buckets of their creation time. It reads a bounded
 * number of jobs, newest first: a partial reply is complete from a time on. Throws `query.invalid` for more than `limits.statsBuckets` buckets, and
 * `auth.forbidden` for all workspaces unless the caller is a superadmin.
 */
export async function loadJobStats(
  deps: Uses<"jobs" | "objects" | "storage" | "nowMs">,
  caller: JobCaller,
  workspace: string,
  { bucket = HOUR_S, ...filters }: JobStatsQuery,
): Promise<JobStatsJson> {
  const now = deps.nowMs();
  const { created_after, created_before } = filters;
  const times = {
    fromMs: mapDefined(created_after, Date.parse),
    toMs: mapDefined(created_before, Date.parse) ?? now,
    bucketMs: bucket * 1000,
  };
  const range = buildStatsRange(times, limits.statsBuckets);
  if (countBuckets(range) > limits.statsBuckets) {
    const reason = `is too short: the range has more than ${limits.statsBuckets} of these buckets`;
    throw new SvcError("query.invalid", { issues: [{ path: "bucket", reason }] });
  }
  const workspaces = await findSearchedWorkspaces(deps, caller, workspace, filters);
  const query = { ...filters, created_after: created_after ?? toIsoTime(Math.max(0, range.fromMs - 1)) };
  const values = { args: parseSubset(query.args, "args"), result: parseSubset(query.result, "result") };
  const reads = Math.ceil(limits.statsReads / Math.max(1, workspaces.length));
  const filter = { query, isVisible: createVisibilityFilter(caller), values };
  const found = await Promise.all(
    (["queue", "completed"] as const).map((scope) =>
      findInWorkspaces(deps, workspaces, { ...filter, scope }, { after: undefined, most: Number.POSITIVE_INFINITY, reads }),
    ),
  );
  // A job that ended in between is in both lists: its end counts.
  const jobs = new Map(found.flatMap((each) => each.jobs).map((job) => [job.id, job]));
  // The first part of the position is the creation time.
  const [stoppedAt] = found
    .flatMap((each) => each.stoppedAt ?? [])
    .sort()
    .reverse();
  const completeFromMs = mapDefined(stoppedAt, (sort) => Number(sort.slice(0, sort.indexOf("#"))));
  return {
    from: toIsoTime(range.fromMs),
    to: toIsoTime(range.toMs),
    bucket,
    partial: completeFromMs !== undefined,
    ...defined({ complete_from: mapDefined(completeFromMs, toIsoTime) }),
    buckets: summarizeJobs([...jobs.values()], range, now),
    ...summarizeErrors([...jobs.values()], range),
  };
}
