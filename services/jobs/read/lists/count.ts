import { limits } from "../../../../contract/limits.ts";
import type { JobListQuery } from "../../../../contract/routes/jobs/job-lists.ts";
import { toIsoTime } from "../../../../contract/utilities/iso-time.ts";
import { buildEntryConditions } from "../../../../core/jobs/lists/list-source.ts";
import { buildListKey, buildListPartitions, hasEnded, SHARDS } from "../../../../core/jobs/record/job.ts";
import { may } from "../../../../core/permissions/may.ts";
import type { Uses } from "../../../uses.ts";
import { createVisibilityFilter, type JobCaller } from "../read.ts";
import { listDueIds } from "./entry-readers.ts";
import { findJobs } from "./find-jobs.ts";
import { findSearchedWorkspaces, type JobSearch } from "./list.ts";

/** A number of jobs. `complete` is false if it is a lower bound, because more jobs may match than one call compares. */
export interface JobCount {
  count: number;
  complete: boolean;
}

/**
 * Counts the jobs that match a query and that the caller may see. Throws `auth.forbidden` for a count of all workspaces unless the caller is a
 * superadmin.
 */
export async function countJobs(
  deps: Uses<"jobs" | "objects" | "storage" | "nowMs">,
  caller: JobCaller,
  { workspace, query, scope }: JobSearch<"queue" | "completed">,
): Promise<JobCount> {
  const workspaces = await findSearchedWorkspaces(deps, caller, workspace, query);
  const filter = { query, scope, isVisible: createVisibilityFilter(caller), values: { args: undefined, result: undefined } };
  const counts = await Promise.all(
    workspaces.map(async (each) => {
      const counted =
        scope === "completed" && seesAll(caller, each) && isCountable(query) ? await countEnded(deps, each, query) : undefined;
      if (counted && query.completed_after === undefined) return counted;
      // Jobs that were created after the requested time of their end are counted; some of the others may have ended since.
      const others = counted ? { ...query, created_before: query.completed_after } : query;
      const { jobs, stoppedAt } = await findJobs(deps, each, { ...filter, query: others }, { most: Number.POSITIVE_INFINITY });
      return { count: jobs.length + (counted?.count ?? 0), complete: stoppedAt === undefined && (counted?.complete ?? true) };
    }),
  );
  return { count: counts.reduce((sum, { count }) => sum + count, 0), complete: counts.every(({ complete }) => complete) };
}

/** Returns whether the caller may see every job of a workspace, so that no job must be read. */
const seesAll = ({ actor, action }: JobCaller, workspace: string) =>
  (actor.kind === "job" || actor.scopes === undefined) && may(actor, action.access, { workspace, owner: "another person" });

/** Returns whether the entries of the index `list` contain everything that a query compares. */
function isCountable(query: JobListQuery): boolean {
  const { all_workspaces: _, completed_after: __, tag, ...others } = query;
  const isPlain = tag === undefined || buildEntryConditions({ tag }).length === 1;
  return isPlain && Object.values(others).every((value) => value === undefined);
}

/**
 * Counts the entries of the list that were created after `completed_after`, less the jobs that have not ended. `undefined` if the queue is too
 * long to be read.
 */
async function countEnded(deps: Uses<"jobs" | "nowMs">, workspace: string, query: JobListQuery): Promise<JobCount | undefined> {
  const { jobs, nowMs } = deps;
  const dueIds = await listDueIds(deps, workspace);
  if (!dueIds) return undefined;
  const where = buildEntryConditions({ tag: query.tag });
  // Expired jobs are removed later.
  const retainedMs = nowMs() - limits.jobRetentionMs;
  const sinceMs = query.completed_after === undefined ? retainedMs : Math.max(retainedMs, Date.parse(query.completed_after) + 1);
  const from = buildListKey(sinceMs, "");
  const limit = Math.ceil(limits.jobScan / SHARDS);
  const [due, ...counts] = await Promise.all([
    jobs.batchGet(dueIds),
    ...buildListPartitions(workspace).map((partition) => jobs.count({ index: "list", partition, from, limit, where })),
  ]);
  const running = due.filter((job) => !hasEnded(job) && job.createdAtMs >= sinceMs && fitsTag(query, job.tag));
  const listed = counts.reduce((sum, { count }) => sum + count, 0);
  return { count: Math.max(0, listed - running.length), complete: counts.every(({ complete }) => complete) };
}

const fitsTag = ({ tag }: JobListQuery, value: string) =>
  buildEntryConditions({ tag }).every((each) => "anyOf" in each && each.anyOf.includes(value));

/** The filters of `jobs/completed/count_jobs`. */
export interface EndedJobsQuery {
  /** Only jobs that ended within this time count. */
  completed_after_s_ago?: number | undefined;
  success?: boolean | undefined;
  tags?: string | undefined;
  all_workspaces?: boolean | undefined;
}

/** Counts the ended jobs that match and that the caller may see. Throws as `countJobs` does. */
export async function countEndedJobs(
  deps: Uses<"jobs" | "objects" | "storage" | "nowMs">,
  caller: JobCaller,
  workspace: string,
  query: EndedJobsQuery,
): Promise<JobCount> {
  const { completed_after_s_ago: withinS, success, tags: tag, all_workspaces } = query;
  const after = withinS === undefined ? {} : { completed_after: toIsoTime(Math.max(0, deps.nowMs() - withinS * 1000)) };
  return countJobs(deps, caller, { workspace, query: { ...after, success, tag, all_workspaces }, scope: "completed" });
}
