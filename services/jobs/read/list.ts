import { SvcError } from "../../../contract/errors.ts";
import { limits } from "../../../contract/limits.ts";
import type { JobListQuery } from "../../../contract/routes/jobs/job-lists.ts";
import { isJsonSubset, type ListScope, matchesJob } from "../../../core/jobs/filter.ts";
import { hasEnded, type Job, PEOPLE, resultVisibleTo, SHARDS } from "../../../core/jobs/job.ts";
import { loadValue, type ValueDeps } from "../values/values.ts";

interface ListJobsDeps extends ValueDeps {
  nowMs: () => number;
  /** What the caller may see. */
  visible: (job: Job) => boolean;
}

/** Index entries read from a shard at a time. */
const STEP = 60;

interface Shard {
  partition: string;
  waiting: { id: string; sort: string }[];
  after: Record<string, unknown> | undefined;
  done: boolean;
}

/** Jobs that match, in the order of their creation: waiting and running first where the scope is `all`. */
export async function listJobs(deps: ListJobsDeps, workspaces: readonly string[], query: JobListQuery, scope: ListScope): Promise<Job[]> {
  const size = Math.min(query.per_page ?? limits.perPage, limits.maxPerPage);
  const start = (Math.max(query.page ?? 1, 1) - 1) * size;
  const lists = await Promise.all(workspaces.map((workspace) => firstJobs(deps, workspace, query, scope, start + size)));
  return (lists.length === 1 ? (lists[0] ?? []) : inOrder(lists.flat(), query, scope)).slice(start, start + size);
}

function inOrder(jobs: Job[], query: JobListQuery, scope: ListScope): Job[] {
  const order = query.order_desc === false ? 1 : -1;
  const rank = (job: Job) => (scope === "all" && hasEnded(job) ? 1 : 0);
  return jobs.sort((a, b) => rank(a) - rank(b) || order * (a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1)));
}

/** The first jobs of one workspace that match. */
async function firstJobs(deps: ListJobsDeps, workspace: string, query: JobListQuery, scope: ListScope, most: number): Promise<Job[]> {
  const wanted = { args: subset(query.args, "args"), result: subset(query.result, "result") };
  if (scope !== "all") return take(deps, workspace, query, scope, wanted, most);
  // The queue stands first and is short: it is read whole, then the ended jobs go on behind it.
  const queued = await take(deps, workspace, query, "queue", wanted, Number.POSITIVE_INFINITY);
  const ended = await take(deps, workspace, query, "completed", wanted, Math.max(0, most - queued.length));
  // One that ended in between is in both.
  const waiting = new Set(queued.map(({ id }) => id));
  return [...queued, ...ended.filter(({ id }) => !waiting.has(id))];
}

/** How many jobs match, counted in the indexes as far as a list reads. */
export async function countJobs(
  deps: ListJobsDeps,
  workspaces: readonly string[],
  query: JobListQuery,
  scope: "queue" | "completed",
): Promise<number> {
  const all = { args: undefined, result: undefined };
  const found = await Promise.all(workspaces.map((workspace) => take(deps, workspace, query, scope, all, Number.POSITIVE_INFINITY)));
  return found.flat().length;
}

async function take(
  deps: ListJobsDeps,
  workspace: string,
  query: JobListQuery,
  scope: "queue" | "completed",
  wanted: { args: unknown; result: unknown },
  most: number,
): Promise<Job[]> {
  const found: Job[] = [];
  const now = deps.nowMs();
  if (most === 0) return found;
  for await (const ids of scope === "queue" ? live(deps, workspace) : merged(deps, workspace, query)) {
    const fitting = (await deps.jobs.getMany(ids)).filter(
      (job) => job.workspace === workspace && matchesJob(job, query, scope, now) && deps.visible(job),
    );
    for (const job of fitting) if (await holds(deps, job, wanted)) found.push(job);
    if (found.length >= most && scope === "completed") break;
  }
  if (scope === "queue") {
    const order = query.order_desc === false ? 1 : -1;
    found.sort((a, b) => order * (a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1)));
  }
  return found.slice(0, most);
}

/** Every job that has not ended stands in the due index: no other index needs to know about states. */
async function* live({ jobs }: ListJobsDeps, workspace: string): AsyncGenerator<string[]> {
  for (let shard = 0; shard < SHARDS; shard += 1) {
    const due = await jobs.due(shard, Number.MAX_SAFE_INTEGER, limits.listScan);
    const ids = due.filter((entry) => entry.workspace === workspace).map(({ id }) => id);
    if (ids.length > 0) yield ids;
  }
}

/** Ids from the list index (or the path index, when one path is asked for), its shards merged into one order. */
async function* merged({ jobs }: ListJobsDeps, workspace: string, query: JobListQuery): AsyncGenerator<string[]> {
  const exact = query.script_path_exact;
  const byPath = exact !== undefined && exact !== "" && !/[,!*]/.test(exact);
  const ascending = query.order_desc === false;
  const from = query.created_after ? sortOf(query.created_after) : undefined;
  const to = query.created_before ? `${sortOf(query.created_before)}$` : undefined;
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
    // Taken one by one until a shard has to be read again: up to there the order is certain.
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

/** A time as the list indexes begin. Nothing is older than 1970, and no key is. */
const sortOf = (time: string) => String(Math.max(0, Date.parse(time))).padStart(14, "0");

async function holds(deps: ListJobsDeps, job: Job, wanted: { args: unknown; result: unknown }): Promise<boolean> {
  if (wanted.args !== undefined && !isJsonSubset(wanted.args, JSON.parse(await loadValue(deps, job, job.args)))) return false;
  if (wanted.result === undefined) return true;
  return hasEnded(job) && isJsonSubset(wanted.result, JSON.parse(await loadValue(deps, job, resultVisibleTo(PEOPLE, job))));
}

function subset(text: string | undefined, name: string): unknown {
  if (text === undefined || text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SvcError("query.invalid", { issues: [{ path: name, reason: "must be JSON" }] }, { cause });
  }
}
