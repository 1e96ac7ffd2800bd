import type { Body, CallInput } from "../../../../../contract/client/operation.ts";
import { defined } from "../../../../../contract/defined.ts";
import type { Search } from "../../data/address.ts";
import { readJsonObject } from "../../parts/run-form/json-object.ts";
import { type TimeWindow, windowOf } from "./ranges.ts";

/** Filters that have the same names in the address and in the query of the list. */
const moreNames = ["tag", "worker", "script_hash", "schedule_path", "trigger_path"] as const;

/** The filters of the page, by their names in the address. */
export const filterNames = [
  ...(["search", "status", "path", "created_by", "range", "from", "to"] as const),
  ...(["trigger", "label", "args", "result", "error", ...moreNames] as const),
] as const;

export type ListQuery = NonNullable<CallInput<"jobs.list">["query"]>;

/** The runs that people and triggers have started. Steps of flows and builds are not listed: each run and version has its own. */
export const ofPeople: ListQuery = { has_null_parent: true, job_kinds: "!dependencies,!flowdependencies,!appdependencies" };

const states: Readonly<Record<string, ListQuery>> = { running: { running: true }, suspended: { suspended: true } };

/** Returns the text if it is a JSON object, because the service refuses any other filter of arguments. */
function toJsonFilter(text: string | undefined): string | undefined {
  return text?.trim() && "object" in readJsonObject(text) ? text : undefined;
}

/** Returns the filter of results for a part of the result, and for the name of an error. */
function toResultFilter({ result, error }: Search): string | undefined {
  const part = toJsonFilter(result);
  return error ? JSON.stringify({ ...(part && JSON.parse(part)), error: { name: error } }) : part;
}

/** The filters that the page shows on request. */
export const hasMoreFilters = (search: Search): boolean => filterNames.slice(filterNames.indexOf("trigger")).some((name) => search[name]);

/** Returns the query of the list for the filters of the address. */
export function toListQuery(search: Search, nowMs: number): ListQuery {
  const { status } = search;
  const { from, to } = windowOf(search, nowMs);
  return {
    ...ofPeople,
    ...(states[status ?? ""] ?? defined({ status })),
    ...defined({
      broad_filter: search["search"],
      script_path_start: search["path"],
      created_by: search["created_by"],
      trigger_kind: search["trigger"],
      label: search["label"],
      args: toJsonFilter(search["args"]),
      ...Object.fromEntries(moreNames.map((name) => [name, search[name]])),
      result: toResultFilter(search),
      created_after: from,
      created_before: to,
    }),
  };
}

/** The window that a query asks for. */
export const windowOfQuery = ({ created_after: from, created_before: to }: ListQuery): TimeWindow => ({
  from: from && String(from),
  to: to && String(to),
});

export type BulkFilter = NonNullable<Body<"jobs.bulk.start">["filter"]>;

/** Returns the filter of an action on all runs that match. In a body, times are texts and flags are booleans, as in the query here. */
export const toBulkFilter = (query: ListQuery): BulkFilter => query as BulkFilter;

export const countFilters = (search: Search): number => filterNames.filter((name) => search[name]).length;
