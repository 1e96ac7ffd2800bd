import { defined } from "../../../../contract/defined.ts";
import { limits } from "../../../../contract/limits.ts";
import type { JobListQuery } from "../../../../contract/routes/jobs/job-lists.ts";
import { buildEntryConditions, chooseListSource } from "../../../../core/jobs/lists/list-source.ts";
import { buildListKey, buildListPartitions, type EndState, hasEnded, SHARDS } from "../../../../core/jobs/record/job.ts";
import type { EntryPage, EntryQuery, JobStore, PageEnd } from "../../../../ports/job-store.ts";
import type { Uses } from "../../../uses.ts";
import { findEndedIndexStart } from "./ended-index.ts";
import type { ReadPage } from "./merge-entries.ts";

const shards = Array.from({ length: SHARDS }, (_, shard) => shard);

/** Returns a time as the prefix of the list indexes' sort keys. No key is older than 1970. */
const toSortKey = (time: string) => String(Math.max(0, Date.parse(time))).padStart(14, "0");
const lower = (a: string | undefined, b: string | undefined) => (a === undefined || (b !== undefined && b < a) ? b : a);
const higher = (a: string | undefined, b: string | undefined) => (a === undefined || (b !== undefined && b > a) ? b : a);

interface Range {
  from?: string | undefined;
  to?: string | undefined;
}

/** Returns the range of sort keys that a query allows after a position of its list. */
function buildRange({ created_after, created_before, order_desc }: JobListQuery, after: string | undefined): Range {
  const from = created_after === undefined ? undefined : toSortKey(created_after);
  const to = created_before === undefined ? undefined : `${toSortKey(created_before)}$`;
  return order_desc === false ? { from: higher(from, after), to } : { from, to: lower(to, after) };
}

/**
 * Chooses the partitions of indexes that contain every job that may match: groups that follow each other in the list, each of which is merged.
 * `after` is the position (sort key) at which the list continues.
 */
export async function chooseReaders(
  { jobs, objects }: Uses<"jobs" | "objects">,
  workspace: string,
  { query, scope }: { query: JobListQuery; scope: "queue" | "completed" },
  after: string | undefined,
): Promise<ReadPage[][]> {
  const ascending = query.order_desc === false;
  const { from, to } = buildRange(query, after);
  const reader =
    ({ index, partition, where = [], ...bounds }: Pick<EntryQuery, "index" | "partition" | "where"> & Range): ReadPage =>
    (limit, page) => {
      const range = withoutAbsent({ from: higher(from, bounds.from), to: lower(to, bounds.to) });
      return jobs.list({ index, partition, where, ...range, limit, ascending, ...defined({ after: page }) });
    };
  const listReaders = (range: Range = {}) =>
    buildListPartitions(workspace).map((partition) => reader({ index: "list", partition, where: buildEntryConditions(query), ...range }));
  const source = scope === "queue" ? ({ from: "list" } as const) : chooseListSource(query);
  switch (source.from) {
    case "nothing":
      return [];
    case "parent":
      return [[reader({ index: "parent", partition: source.parent })]];
    case "path":
      return [shards.map((shard) => reader({ index: "path", partition: `${workspace}#${shard}#${source.path}` }))];
    case "list":
      return [listReaders()];
    case "states": {
      const sinceMs = await findEndedIndexStart({ objects });
      if (sinceMs === undefined) return [listReaders()];
      const since = buildListKey(sinceMs, "");
      const indexed = source.states.flatMap((state) =>
        shards.map((shard) => reader({ index: "ended", partition: jobs.endedPartition(workspace, shard, state), from: since })),
      );
      const groups = [[...indexed, readDueEnded(jobs, workspace, source.states, since)], listReaders({ to: since })];
      return ascending ? groups.reverse() : groups;
    }
  }
}

const withoutAbsent = ({ from, to }: Range) => defined({ from, to });

/** Reads ended jobs for which something is still due, such as their erasure: they enter the index of their state after that. */
function readDueEnded(jobs: JobStore, workspace: string, states: readonly EndState[], since: string): ReadPage {
  return async (_limit: number, _after: PageEnd | undefined): Promise<EntryPage> => {
    const due = await jobs.batchGet((await listDueIds({ jobs }, workspace)) ?? []);
    const entries = due
      .filter((job) => hasEnded(job) && states.includes(job.state))
      .map(({ id, createdAtMs }) => ({ id, sort: buildListKey(createdAtMs, id) }))
      .filter(({ sort }) => sort >= since);
    return { entries, scanned: due.length, after: undefined };
  };
}

/**
 * Lists the ids of jobs that have not ended, and of those for which something is due. All are in one index. `undefined` if there are too many.
 */
export async function listDueIds({ jobs }: Uses<"jobs">, workspace: string): Promise<string[] | undefined> {
  const due = await Promise.all(shards.map((shard) => jobs.listDueOf(workspace, shard, limits.listQueue + 1)));
  const ids = due.flat();
  return ids.length > limits.listQueue ? undefined : ids;
}
