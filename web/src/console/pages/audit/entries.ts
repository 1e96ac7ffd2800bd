import type { CallInput } from "../../../../../contract/client/operation.ts";
import { defined } from "../../../../../contract/defined.ts";
import type { AuditJson } from "../../../../../contract/routes/workspaces/audit.ts";
import type { Search } from "../../data/address.ts";
import { ask } from "../../data/objects-api.ts";
import { fromLocalTime } from "../../parts/local-time.ts";
import { toCsv } from "../../parts/result/csv.ts";

export type AuditFilter = NonNullable<CallInput<"audit.list">["query"]>;

/** Returns the query of the list for the filters of the address. */
export function toFilter(search: Search): AuditFilter {
  return defined({
    operation: search["operation"] || undefined,
    username: search["username"] || undefined,
    resource: search["resource"] || undefined,
    action_kind: search["kind"] || undefined,
    after: fromLocalTime(search["from"] ?? ""),
    before: fromLocalTime(search["to"] ?? ""),
  });
}

const PER_PAGE = 100;
/** An export ends here. */
const MOST_ENTRIES = 10_000;

/** The beginning of a page of the list: before a time that the service has named, at a page from 1. */
export interface AuditCursor {
  before?: string;
  page: number;
}

export interface AuditPage {
  entries: AuditJson[];
  next: AuditCursor | undefined;
}

/** Returns where the page after a loaded one begins. The service may end a page early, and names the time at which it continues. */
export function nextCursor(cursor: AuditCursor, count: number, before: string | null): AuditCursor | undefined {
  if (before !== null) return { before, page: 1 };
  return count === PER_PAGE ? { ...cursor, page: cursor.page + 1 } : undefined;
}

/** Loads a page of the audit log. */
export async function loadEntries(workspace: string, filter: AuditFilter, cursor: AuditCursor, signal: AbortSignal): Promise<AuditPage> {
  const query = { ...filter, ...cursor, per_page: PER_PAGE };
  const { value, headers } = await ask.audit.list({ workspace, query, signal });
  return { entries: value, next: nextCursor(cursor, value.length, headers.get("x-svc-before")) };
}

/** Reads all entries that match, page by page. `onProgress` gets the number of entries that were read so far. */
export async function readAllEntries(
  workspace: string,
  filter: AuditFilter,
  onProgress: (count: number) => void,
  signal: AbortSignal,
): Promise<AuditJson[]> {
  const entries: AuditJson[] = [];
  for (let cursor: AuditCursor | undefined = { page: 1 }; cursor && entries.length < MOST_ENTRIES; ) {
    const page: AuditPage = await loadEntries(workspace, filter, cursor, signal);
    entries.push(...page.entries);
    onProgress(entries.length);
    cursor = page.next;
  }
  return entries;
}

const columns = ["timestamp", "username", "operation", "action_kind", "resource", "parameters"] as const;

/** Writes entries as CSV. */
export const entriesAsCsv = (entries: readonly AuditJson[]): string =>
  toCsv(
    columns,
    entries.map((entry) => columns.map((name) => (name === "parameters" ? describeParameters(entry) : (entry[name] ?? "")))),
  );

/** Writes entries as JSON, one on each line. */
export const entriesAsJsonLines = (entries: readonly AuditJson[]): string => entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");

/** Returns the details of an entry in one line. */
export const describeParameters = ({ parameters = {} }: Pick<AuditJson, "parameters">): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}: ${value}`)
    .join(", ");
