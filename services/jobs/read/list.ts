import type { ObjectTable } from "../../../aws/dynamodb/object-table.ts";
import { SvcError } from "../../../contract/errors.ts";
import { toIsoTime } from "../../../contract/iso-time.ts";
import { limits } from "../../../contract/limits.ts";
import type { JobJson } from "../../../contract/routes/jobs/job.ts";
import type { JobListQuery } from "../../../contract/routes/jobs/job-lists.ts";
import { isJsonSubset, type ListScope, matchesJob } from "../../../core/jobs/filter.ts";
import { argsVisibleTo, hasEnded, type Job, PEOPLE, resultVisibleTo, SHARDS } from "../../../core/jobs/job.ts";
import { keys } from "../../../core/objects/keys.ts";
import { loadJson, type ValueDeps } from "../values/values.ts";
import { createVisibilityFilter, type JobCaller, loadJobJson } from "./read.ts";

interface ListJobsDeps extends ValueDeps {
  objects: Pick<ObjectTable, "list">;
  nowMs: () => number;
}

/** Returns the jobs of the workspace, or of all workspaces if the query requests it. */
export interface JobSearch<Scope extends ListScope = ListScope> {
  workspace: string;
  query: JobListQuery;
  scope: Scope;
}

/** The number of index entries that are read from a shard at a time. */
const STEP = 60;

interface Shard {
  partition: string;
  waiting: { id: string; sort: string }[];
  after: Record<string, unknown> | undefined;
  done: boolean;
}

/**
 * Lists the jobs that match a query and that the caller may see, by their creation. In scope `all`, jobs that have not ended come first.
 * Throws `query.invalid`, and `auth.forbidden` for a list of all workspaces unless the caller is a superadmin.
 */
async function listJobs(deps: ListJobsDeps, caller: JobCaller, { workspace, query, scope }: JobSearch): Promise<Job[]> {
  const size = Math.min(query.per_page ?? limits.perPage, limits.maxPerPage);
  const start = (Math.max(query.page ?? 1, 1) - 1) * size;
  const workspaces = await findSearchedWorkspaces(deps, caller, workspace, query);
  const isVisible = createVisibilityFilter(caller);
  const lists = await Promise.all(workspaces.map((each) => loadFirstJobs(deps, each, { query, scope, isVisible }, start + size)));
  return (lists.length === 1 ? (lists[0] ?? []) : sortJobs(lists.flat(), query, scope)).slice(start, start + size);
}

/** Lists jobs as `listJobs` does, as the Jobs of api.md §2.3 without arguments, results, logs and code. Throws as `listJobs` does. */
export async function listJobJsons(deps: ListJobsDeps, caller: JobCaller, search: JobSearch): Promise<JobJson[]> {
  return Promise.all((await listJobs(deps, caller, search)).map((job) => loadJobJson(deps, job, {})));
}

/** Lists the ids of jobs in the order of `listJobs`. Throws as `listJobs` does. */
export async function listJobIds(deps: ListJobsDeps, caller: JobCaller, search: JobSearch): Promise<string[]> {
  return (await listJobs(deps, caller, search)).map(({ id }) => id);
}

async function findSearchedWorkspaces(
  { objects }: ListJobsDeps,
  { actor }: JobCaller,
  workspace: string,
  { all_workspaces: all }: JobListQuery,
): Promise<string[]> {
  if (!all) return [workspace];
  if (!actor.superAdmin) throw new SvcError("auth.forbidden", { action: "listing the jobs of all workspaces" });
  return (await objects.list(keys.workspace("").pk)).map(({ sk }) => sk);
}

function sortJobs(jobs: Job[], query: JobListQuery, scope: ListScope): Job[] {
  const order = query.order_desc === false ? 1 : -1;
  const rank = (job: Job) => (scope === "all" && hasEnded(job) ? 1 : 0);
  return jobs.sort((a, b) => rank(a) - rank(b) || order * (a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1)));
}

/** The first jobs of one workspace that match. */
async function loadFirstJobs(
  deps: ListJobsDeps,
  workspace: string,
  { query, scope, isVisible }: Omit<JobFilter, "scope" | "values"> & { scope: ListScope },
  limit: number,
): Promise<Job[]> {
  const values = { args: parseSubset(query.args, "args"), result: parseSubset(query.result, "result") };
  if (scope !== "all") return findMatchingJobs(deps, workspace, { query, scope, isVisible, values }, limit);
  // The queue is short, so it is read completely, and the ended jobs follow.
  const queued = await findMatchingJobs(deps, workspace, { query, scope: "queue", isVisible, values }, Number.POSITIVE_INFINITY);
  const ended = await findMatchingJobs(
    deps,
    workspace,
    { query, scope: "completed", isVisible, values },
    Math.max(0, limit - queued.length),
  );
  // A job that ended in between is in both lists.
  const waiting = new Set(queued.map(({ id }) => id));
  return [...queued, ...ended.filter(({ id }) => !waiting.has(id))];
}

/**
 * Counts the jobs that match a query and that the caller may see, within the part of the indexes that a list reads. Throws `auth.forbidden`
 * for a count of all workspaces unless the caller is a superadmin.
 */
export async function countJobs(
  deps: ListJobsDeps,
  caller: JobCaller,
  { workspace, query, scope }: JobSearch<"queue" | "completed">,
): Promise<number> {
  const workspaces = await findSearchedWorkspaces(deps, caller, workspace, query);
  const filter = { query, scope, isVisible: createVisibilityFilter(caller), values: { args: undefined, result: undefined } };
  const found = await Promise.all(workspaces.map((each) => findMatchingJobs(deps, each, filter, Number.POSITIVE_INFINITY)));
  return found.flat().length;
}

/** The filters of `jobs/completed/count_jobs`. */
export interface EndedJobsQuery {
  /** Only jobs that ended within this time count. */
  completed_after_s_ago?: number | undefined;
  success?: boolean | undefined;
  tags?: string | undefined;
  all_workspaces?: boolean | undefined;
}

/** Counts the ended jobs that match and that the caller may see. Throws as `countJobs` does. */
export async function countEndedJobs(deps: ListJobsDeps, caller: JobCaller, workspace: string, query: EndedJobsQuery): Promise<number> {
  const { completed_after_s_ago: withinS, success, tags: tag, all_workspaces } = query;
  const after = withinS === undefined ? {} : { completed_after: toIsoTime(Math.max(0, deps.nowMs() - withinS * 1000)) };
  return countJobs(deps, caller, { workspace, query: { ...after, success, tag, all_workspaces }, scope: "completed" });
}

interface JobFilter {
  query: JobListQuery;
  scope: "queue" | "completed";
  isVisible: (job: Job) => boolean;
  /** Parts that the arguments and the result must contain. */
  values: { args: unknown; result: unknown };
}

async function findMatchingJobs(
  deps: ListJobsDeps,
  workspace: string,
  { query, scope, isVisible, values }: JobFilter,
  limit: number,
): Promise<Job[]> {
  const found: Job[] = [];
  const now = deps.nowMs();
  if (limit === 0) return found;
  for await (const ids of scope === "queue" ? listLiveIds(deps, workspace) : mergeShards(deps, workspace, query)) {
    const fitting = (await deps.jobs.batchGet(ids)).filter(
      (job) => job.workspace === workspace && matchesJob(job, query, scope, now) && isVisible(job),
    );
    for (const job of fitting) if (await matchesValues(deps, job, values)) found.push(job);
    if (found.length >= limit && scope === "completed") break;
  }
  if (scope === "queue") {
    const order = query.order_desc === false ? 1 : -1;
    found.sort((a, b) => order * (a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1)));
  }
  return found.slice(0, limit);
}

/** Yields the ids of jobs that have not ended. All of them are in the due index, so no other index contains states. */
async function* listLiveIds({ jobs }: ListJobsDeps, workspace: string): AsyncGenerator<string[]> {
  for (let shard = 0; shard < SHARDS; shard += 1) {
    const due = await jobs.listDue(shard, Number.MAX_SAFE_INTEGER, limits.listScan);
    const ids = due.filter((entry) => entry.workspace === workspace).map(({ id }) => id);
    if (ids.length > 0) yield ids;
  }
}

/** Yields ids from the list index, or from the path index if the query names one path, with the shards merged into one order. */
async function* mergeShards({ jobs }: ListJobsDeps, workspace: string, query: JobListQuery): AsyncGenerator<string[]> {
  const exact = query.script_path_exact;
  const byPath = exact !== undefined && exact !== "" && !/[,!*]/.test(exact);
  const ascending = query.order_desc === false;
  const from = query.created_after ? toSortKey(query.created_after) : undefined;
  const to = query.created_before ? `${toSortKey(query.created_before)}$` : undefined;
  const shards: Shard[] = Array.from({ length: SHARDS }, (_, shard) => ({
    partition: byPath ? `${workspace}#${shard}#${exact}` : `${workspace}#${shard}`,
    waiting: [],
    after: undefined,
    done: false,
  }));
  for (let read = 0; read < limits.listScan; ) {
    await Promise.all(
      shards
        .filter(({ waiting, done }) => waiting.length === 0 && !done)
        .map(async (shard) => {
          const { entries, after } = await jobs.list({
            index: byPath ? "path" : "list",
            partition: shard.partition,
            limit: STEP,
            ascending,
            ...(from === undefined ? {} : { from }),
            ...(to === undefined ? {} : { to }),
            ...(shard.after ? { after: shard.after } : {}),
          });
          shard.waiting = entries;
          shard.after = after;
          shard.done = after === undefined;
        }),
    );
    const ids: string[] = [];
    // Entries are taken until a shard must be read again: up to there the order is certain.
    for (;;) {
      const next = shards
        .filter(({ waiting }) => waiting.length > 0)
        .sort((a, b) => ((a.waiting[0]?.sort ?? "") < (b.waiting[0]?.sort ?? "") === ascending ? -1 : 1))[0];
      const entry = next?.waiting.shift();
      if (!next || !entry) break;
      ids.push(entry.id);
      if (next.waiting.length === 0 && !next.done) break;
    }
    read += ids.length;
    if (ids.length > 0) yield ids;
    if (shards.every(({ waiting, done }) => waiting.length === 0 && done)) return;
  }
}

/** Returns a time as the prefix of the list indexes' sort keys. No key is older than 1970. */
const toSortKey = (time: string) => String(Math.max(0, Date.parse(time))).padStart(14, "0");

/** Compares the redacted values, which a list shows: a filter over hidden values would reveal them by guesses. */
async function matchesValues(deps: ListJobsDeps, job: Job, wanted: { args: unknown; result: unknown }): Promise<boolean> {
  if (wanted.args !== undefined && !isJsonSubset(wanted.args, await loadJson(deps, job, argsVisibleTo(PEOPLE, job)))) return false;
  if (wanted.result === undefined) return true;
  return hasEnded(job) && isJsonSubset(wanted.result, await loadJson(deps, job, resultVisibleTo(PEOPLE, job)));
}

function parseSubset(text: string | undefined, name: string): unknown {
  if (text === undefined || text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SvcError("query.invalid", { issues: [{ path: name, reason: "must be JSON" }] }, { cause });
  }
}
