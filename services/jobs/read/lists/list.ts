import { defined } from "../../../../contract/defined.ts";
import { SvcError } from "../../../../contract/errors.ts";
import { parseExactJson } from "../../../../contract/json/exact-json.ts";
import { limits } from "../../../../contract/limits.ts";
import type { JobJson } from "../../../../contract/routes/jobs/job.ts";
import type { JobListQuery } from "../../../../contract/routes/jobs/job-lists.ts";
import type { ListScope } from "../../../../core/jobs/lists/filter.ts";
import { formatListCursor, type ListCursor, type ListPhase, parseListCursor } from "../../../../core/jobs/lists/list-cursor.ts";
import type { Job } from "../../../../core/jobs/record/job.ts";
import type { Uses } from "../../../uses.ts";
import { listWorkspaceIds } from "../../../workspaces/workspaces.ts";
import { createVisibilityFilter, type JobCaller, loadJobJson } from "../read.ts";
import { compareJobs, type FoundJobs, findJobs, type JobFilter, type SearchRange, toListKey } from "./find-jobs.ts";

/** Returns the jobs of the workspace, or of all workspaces if the query requests it. */
export interface JobSearch<Scope extends ListScope = ListScope> {
  workspace: string;
  query: JobListQuery;
  scope: Scope;
}

/** A page of a list. */
export interface ListPage<Entry> {
  entries: Entry[];
  /** Continues the list after this page. Absent if the list ends with it. */
  next?: string;
}

/**
 * Lists the jobs that match a query and that the caller may see, by their creation. In scope `all`, jobs that have not ended come first. One
 * call reads a bounded number of jobs: a page that is not full has a cursor if more may match. Before a page without any match, it reads several times as many. Throws `query.invalid`, and `auth.forbidden` for
 * a list of all workspaces unless the caller is a superadmin.
 */
async function listJobs(
  deps: Uses<"jobs" | "objects" | "storage" | "nowMs">,
  caller: JobCaller,
  search: JobSearch,
): Promise<ListPage<Job>> {
  let page = await listOnce(deps, caller, search);
  // A later page may be empty because the jobs before it filled those pages.
  const isFirst = search.query.cursor !== undefined || Math.max(search.query.page ?? 1, 1) === 1;
  for (let searches = 1; isFirst && searches < limits.listSearches && page.entries.length === 0 && page.next !== undefined; searches += 1)
    page = await listOnce(deps, caller, { ...search, query: { ...search.query, cursor: page.next } });
  return page;
}

async function listOnce(
  deps: Uses<"jobs" | "objects" | "storage" | "nowMs">,
  caller: JobCaller,
  { workspace, query, scope }: JobSearch,
): Promise<ListPage<Job>> {
  const size = Math.min(query.per_page ?? limits.perPage, limits.maxPerPage);
  const cursor = query.cursor === undefined ? undefined : parseListCursor(query.cursor);
  const start = cursor ? 0 : (Math.max(query.page ?? 1, 1) - 1) * size;
  if (start > limits.listSkipped) {
    const reason = `lies behind the first ${limits.listSkipped} jobs: send the header x-next-cursor of the page before as cursor instead`;
    throw new SvcError("query.invalid", { issues: [{ path: "page", reason }] });
  }
  const workspaces = await findSearchedWorkspaces(deps, caller, workspace, query);
  const values = { args: parseSubset(query.args, "args"), result: parseSubset(query.result, "result") };
  const filter = { query, isVisible: createVisibilityFilter(caller), values };
  const jobs: Job[] = [];
  for (const phase of phasesOf(scope, cursor)) {
    const range = { after: phase === cursor?.phase ? cursor.after : undefined, most: start + size - jobs.length };
    const found = await findInWorkspaces(deps, workspaces, { ...filter, scope: phase }, range);
    // A job that ended in between is in both phases.
    const listedIds = new Set(jobs.map(({ id }) => id));
    jobs.push(...found.jobs.filter(({ id }) => !listedIds.has(id)));
    const stoppedAt = found.stoppedAt ?? (jobs.length >= start + size ? toListKey(jobs[start + size - 1] as Job) : undefined);
    if (stoppedAt !== undefined) return { entries: jobs.slice(start), next: formatListCursor({ phase, after: stoppedAt }) };
  }
  return { entries: jobs.slice(start) };
}

function phasesOf(scope: ListScope, cursor: ListCursor | undefined): ListPhase[] {
  const phases: ListPhase[] = scope === "all" ? ["queue", "completed"] : [scope];
  return phases.slice(Math.max(0, phases.indexOf(cursor?.phase ?? "queue")));
}

/** Lists jobs as `listJobs` does, as the Jobs of api.md §2.3 without arguments, results, logs and code. Throws as `listJobs` does. */
export async function listJobJsons(
  deps: Uses<"jobs" | "objects" | "storage" | "nowMs">,
  caller: JobCaller,
  search: JobSearch,
): Promise<ListPage<JobJson>> {
  const { entries, ...page } = await listJobs(deps, caller, search);
  return {
    entries: await Promise.all(entries.map((job) => loadJobJson(deps, job, { previews: search.query.include_preview ?? false }))),
    ...page,
  };
}

/** Lists the ids of jobs in the order of `listJobs`. Throws as `listJobs` does. */
export async function listJobIds(
  deps: Uses<"jobs" | "objects" | "storage" | "nowMs">,
  caller: JobCaller,
  search: JobSearch,
): Promise<ListPage<string>> {
  const { entries, ...page } = await listJobs(deps, caller, search);
  return { entries: entries.map(({ id }) => id), ...page };
}

/** Returns the workspaces that a query searches. Throws `auth.forbidden` for all workspaces unless the caller is a superadmin. */
export async function findSearchedWorkspaces(
  { objects }: Uses<"objects">,
  { actor }: JobCaller,
  workspace: string,
  { all_workspaces: all }: Pick<JobListQuery, "all_workspaces">,
): Promise<string[]> {
  if (!all) return [workspace];
  if (!actor.superAdmin) throw new SvcError("auth.forbidden", { action: "listing the jobs of all workspaces", needs: "a superadmin" });
  return listWorkspaceIds(objects);
}

/** Merges the searches of several workspaces. Jobs after the position at which one of them stopped are left to the next page. */
export async function findInWorkspaces(
  deps: Uses<"jobs" | "objects" | "storage" | "nowMs">,
  workspaces: string[],
  filter: JobFilter,
  range: SearchRange,
): Promise<FoundJobs> {
  const found = await Promise.all(workspaces.map((workspace) => findJobs(deps, workspace, filter, range)));
  if (found.length === 1) return found[0] ?? { jobs: [] };
  const ascending = filter.query.order_desc === false;
  const stops = found.flatMap(({ stoppedAt }) => stoppedAt ?? []).sort();
  const stoppedAt = ascending ? stops[0] : stops.at(-1);
  const isCertain = (job: Job) => stoppedAt === undefined || (ascending ? toListKey(job) <= stoppedAt : toListKey(job) >= stoppedAt);
  const jobs = found
    .flatMap((each) => each.jobs)
    .filter(isCertain)
    .sort(compareJobs(filter.query));
  if (jobs.length >= range.most) return { jobs: jobs.slice(0, range.most) };
  return { jobs, ...defined({ stoppedAt }) };
}

export function parseSubset(text: string | undefined, name: string): unknown {
  if (text === undefined || text === "") return undefined;
  try {
    return parseExactJson(text);
  } catch (cause) {
    throw new SvcError("query.invalid", { issues: [{ path: name, reason: "must be JSON" }] }, { cause });
  }
}
