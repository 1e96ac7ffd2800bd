import type { CallInput } from "../../../../../contract/client/operation.ts";
import { defined } from "../../../../../contract/defined.ts";
import type { Search } from "../../data/address.ts";

/** The filters of the page, by their names in the address. */
export const filterNames = ["search", "status", "path", "created_by", "from", "to"] as const;

export type ListQuery = NonNullable<CallInput<"jobs.list">["query"]>;

/** Adds the seconds that a field for local times leaves out. An unfinished time does not filter. */
function toIso(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : new Date(atMs).toISOString();
}

/** The runs that people and triggers have started. */
export const ofPeople: ListQuery = { has_null_parent: true, job_kinds: "!dependencies,!flowdependencies,!appdependencies" };

const states: Readonly<Record<string, ListQuery>> = { running: { running: true }, suspended: { suspended: true } };

/** Returns the query of the list for the filters of the address. Steps of flows and builds are not listed: each run and version has its own. */
export function toListQuery({ search, status, path, created_by, from, to }: Search): ListQuery {
  return {
    ...ofPeople,
    ...(states[status ?? ""] ?? defined({ status })),
    ...defined({
      broad_filter: search,
      script_path_start: path,
      created_by,
      created_after: toIso(from),
      created_before: toIso(to),
    }),
  };
}

export const hasFilters = (search: Search): boolean => filterNames.some((name) => search[name]);
