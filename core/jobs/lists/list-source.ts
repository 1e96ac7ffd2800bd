import type { JobListQuery } from "../../../contract/routes/jobs/job-lists.ts";
import type { tableIndexes } from "../record/fields.ts";
import type { EndState } from "../record/job.ts";

/** A condition on an entry of the index `list`, which contains the fields of a job that never change. */
export type EntryCondition =
  | { field: EntryField; anyOf: readonly string[] }
  | { field: EntryField; startsWith: string }
  | { field: EntryField; exists: boolean };
export type EntryField = (typeof tableIndexes.list.fields)[number];

/** The index that contains all ended jobs of a list: the narrowest one, or none. */
export type ListSource =
  | { from: "nothing" }
  | { from: "parent"; parent: string }
  | { from: "path"; path: string }
  | { from: "states"; states: readonly EndState[] }
  | { from: "list" };

/** The end states that have an index. Successful jobs have none, because most jobs succeed and each entry costs a write. */
const stateOf: Readonly<Record<string, EndState>> = { failure: "failed", canceled: "canceled", skipped: "skipped" };

/** The number of values that one condition compares. DynamoDB compares up to 100. */
const MAX_VALUES = 50;

/** Returns the values of a filter, or `undefined` if it is absent, negated, has wildcards, or also matches jobs without the field. */
function plainValues(filter: string | undefined, wildcards: boolean): string[] | undefined {
  if (filter === undefined || filter === "") return undefined;
  const values = filter.split(",").map((value) => value.trim());
  if (values.length > MAX_VALUES || values.some((value) => value === "" || value.startsWith("!"))) return undefined;
  return wildcards && filter.includes("*") ? undefined : values;
}

/** Returns the source in which the ended jobs that match a query are found. Its jobs are still compared with the whole query. */
export function chooseListSource(query: JobListQuery): ListSource {
  // An ended job neither runs nor waits.
  if (query.running === true || query.suspended === true) return { from: "nothing" };
  const [parent, ...moreParents] = plainValues(query.parent_job, false) ?? [];
  if (parent !== undefined && moreParents.length === 0) return { from: "parent", parent };
  const [path, ...morePaths] = plainValues(query.script_path_exact, query.allow_wildcards ?? false) ?? [];
  if (path !== undefined && morePaths.length === 0) return { from: "path", path };
  const states = findEndStates(query);
  return states ? { from: "states", states } : { from: "list" };
}

/** Returns the end states that a query selects, if all of them have an index. */
function findEndStates({ success, status, is_skipped }: JobListQuery): readonly EndState[] | undefined {
  if (is_skipped === true) return ["skipped"];
  const states = plainValues(status, false)?.map((value) => stateOf[value]);
  if (states?.every((state) => state !== undefined)) return [...new Set(states)];
  return success === false ? ["failed", "canceled"] : undefined;
}

/** Returns the parts of a query that can be compared with the entries of the index `list`, without reading the jobs. */
export function buildEntryConditions(query: JobListQuery): EntryCondition[] {
  const wild = query.allow_wildcards ?? false;
  const lists: [EntryField, string[] | undefined][] = [
    ["createdBy", plainValues(query.created_by, wild)],
    ["tag", plainValues(query.tag, wild)],
    ["trigger", plainValues(query.trigger_kind, false)],
    // The index does not contain the path of a schedule, but all its runs and their steps have this trigger.
    ["trigger", plainValues(query.schedule_path, wild) && ["schedule"]],
    ["kind", plainValues(query.job_kinds, false)],
    ["hash", plainValues(query.script_hash, false)],
    ["path", plainValues(query.script_path_exact, wild)],
    ["parent", plainValues(query.parent_job, false)],
  ];
  return [
    ...lists.flatMap(([field, anyOf]) => (anyOf ? [{ field, anyOf }] : [])),
    ...(query.script_path_start ? [{ field: "path", startsWith: query.script_path_start } as const] : []),
    ...(query.has_null_parent === true ? [{ field: "parent", exists: false } as const] : []),
    ...(query.is_flow_step === undefined ? [] : [{ field: "step", exists: query.is_flow_step } as const]),
  ];
}
