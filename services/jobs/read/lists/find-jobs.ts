import pMap, { pMapSkip } from "p-map";
import { limits } from "../../../../contract/limits.ts";
import type { JobListQuery } from "../../../../contract/routes/jobs/job-lists.ts";
import { isJsonSubset, matchesJob } from "../../../../core/jobs/lists/filter.ts";
import { argsVisibleTo, buildListKey, hasEnded, type Job, PEOPLE, resultVisibleTo } from "../../../../core/jobs/record/job.ts";
import type { JobStore } from "../../../../ports/job-store.ts";
import type { Uses } from "../../../uses.ts";
import { loadJson } from "../../values/values.ts";
import { chooseReaders, listDueIds } from "./entry-readers.ts";
import { mergeEntries } from "./merge-entries.ts";

export interface JobFilter {
  query: JobListQuery;
  scope: "queue" | "completed";
  isVisible: (job: Job) => boolean;
  /** Parts that the arguments and the result must contain. */
  values: { args: unknown; result: unknown };
}

/** The part of a list that a search returns. */
export interface SearchRange {
  /** The sort key after which the search begins. */
  after?: string | undefined;
  /** The requested number of jobs. */
  most: number;
  /** The number of jobs that may be read without a match, or without a page. Default: that of a list. */
  reads?: number;
}

/** The jobs that a search has found. */
export interface FoundJobs {
  jobs: Job[];
  /** The sort key of the last job that was compared, if the search ended at one of its limits. */
  stoppedAt?: string;
}

/** The number of jobs that are read and compared concurrently, and the number of stored values. */
const BATCH = 200;
const AT_ONCE = 20;

/** The reads that one search may still make. */
interface Budget {
  reads: number;
  values: number;
}
const newBudget = (reads: number = limits.listReads): Budget => ({ reads, values: limits.listValues });

/** Returns the sort key of a job in lists. */
export const toListKey = ({ createdAtMs, id }: Job) => buildListKey(createdAtMs, id);

/** Returns a comparison for the order that a query requests. */
export function compareJobs({ order_desc }: JobListQuery): (a: Job, b: Job) => number {
  const order = order_desc === false ? 1 : -1;
  return (a, b) => order * (toListKey(a) < toListKey(b) ? -1 : 1);
}

/** Finds jobs of one workspace that match, in the order of the list. */
export async function findJobs(
  deps: Uses<"jobs" | "objects" | "storage" | "nowMs">,
  workspace: string,
  filter: JobFilter,
  range: SearchRange,
): Promise<FoundJobs> {
  if (range.most <= 0) return { jobs: [] };
  if (filter.scope === "queue") {
    const ids = await listDueIds(deps, workspace);
    if (ids) return findInQueue(deps, workspace, ids, filter, range);
  }
  return findInIndexes(deps, workspace, filter, range);
}

async function findInQueue(
  deps: Uses<"jobs" | "storage" | "nowMs">,
  workspace: string,
  ids: string[],
  filter: JobFilter,
  range: SearchRange,
): Promise<FoundJobs> {
  const matching = await findMatching(deps, workspace, ids, filter);
  const isAfter = buildIsAfter(filter.query, range.after);
  const sorted = matching.filter((job) => isAfter(toListKey(job))).sort(compareJobs(filter.query));
  const found = await compareValues(deps, sorted, filter, newBudget());
  return found.jobs.length >= range.most ? { jobs: found.jobs.slice(0, range.most) } : found;
}

const buildIsAfter =
  ({ order_desc }: JobListQuery, after: string | undefined) =>
  (sort: string) =>
    after === undefined || (order_desc === false ? sort > after : sort < after);

async function findMatching({ jobs, nowMs }: Uses<"jobs" | "nowMs">, workspace: string, ids: string[], filter: JobFilter): Promise<Job[]> {
  const { query, scope, isVisible } = filter;
  const now = nowMs();
  const heads = await readHeads(jobs, ids);
  return heads.filter((job) => job.workspace === workspace && matchesJob(job, query, scope, now) && isVisible(job));
}

/** Reads jobs by id in the given order, in concurrent batches. */
async function readHeads(jobs: Pick<JobStore, "batchGet">, ids: string[]): Promise<Job[]> {
  const parts = Array.from({ length: Math.ceil(ids.length / 100) }, (_, at) => ids.slice(at * 100, at * 100 + 100));
  return (await Promise.all(parts.map((part) => jobs.batchGet(part)))).flat();
}

/** Compares the arguments and results of jobs in order until enough match or the limit of such reads is reached. */
async function compareValues(deps: Uses<"jobs" | "storage">, jobs: Job[], { values }: JobFilter, budget: Budget): Promise<FoundJobs> {
  if (values.args === undefined && values.result === undefined) return { jobs };
  const compared = jobs.slice(0, budget.values);
  budget.values -= compared.length;
  const found = await pMap(compared, async (job) => ((await matchesValues(deps, job, values)) ? job : pMapSkip), { concurrency: AT_ONCE });
  const last = compared.at(-1);
  return { jobs: found, ...(jobs.length > compared.length && last ? { stoppedAt: toListKey(last) } : {}) };
}

/** Compares the redacted values, which a list shows: a filter over hidden values would reveal them by guesses. */
async function matchesValues(deps: Uses<"jobs" | "storage">, job: Job, filter: JobFilter["values"]): Promise<boolean> {
  if (filter.args !== undefined && !isJsonSubset(filter.args, await loadJson(deps, job, argsVisibleTo(PEOPLE, job)))) return false;
  if (filter.result === undefined) return true;
  return hasEnded(job) && isJsonSubset(filter.result, await loadJson(deps, job, resultVisibleTo(PEOPLE, job)));
}

async function findInIndexes(
  deps: Uses<"jobs" | "objects" | "storage" | "nowMs">,
  workspace: string,
  filter: JobFilter,
  { after, most, reads }: SearchRange,
): Promise<FoundJobs> {
  const { query } = filter;
  const ascending = query.order_desc === false;
  const isAfter = buildIsAfter(query, after);
  const budget = newBudget(reads);
  const jobs: Job[] = [];
  for (const readers of await chooseReaders(deps, workspace, filter, after)) {
    let position: string | undefined;
    for await (const merged of mergeEntries(readers, { ascending, maxScanned: limits.jobScan })) {
      position = merged.position;
      const rest = merged.entries.filter(({ sort }) => isAfter(sort));
      for (let at = 0; at < rest.length; ) {
        const part = rest.slice(at, at + Math.min(BATCH, budget.reads));
        at += part.length;
        const ids = part.map(({ id }) => id);
        const matching = await findMatching(deps, workspace, ids, filter);
        // Clients request later pages by number, so the jobs of the pages before them are not charged. A count has no page.
        budget.reads -= Number.isFinite(most) ? part.length - matching.length : part.length;
        const found = await compareValues(deps, matching, filter, budget);
        jobs.push(...found.jobs);
        if (jobs.length >= most) return { jobs: jobs.slice(0, most) };
        const stoppedAt = found.stoppedAt ?? (budget.reads <= 0 || budget.values <= 0 ? part.at(-1)?.sort : undefined);
        if (stoppedAt !== undefined) return { jobs, stoppedAt };
      }
    }
    // The index has more entries than one request compares.
    if (position !== undefined) return { jobs, stoppedAt: position };
  }
  return { jobs };
}
