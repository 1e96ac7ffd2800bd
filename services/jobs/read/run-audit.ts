import { defined, mapDefined } from "../../../contract/defined.ts";
import { limits } from "../../../contract/limits.ts";
import type { AuditJson, AuditQuery } from "../../../contract/routes/workspaces/audit.ts";
import { toIsoTime } from "../../../contract/utilities/iso-time.ts";
import { buildListPartitions } from "../../../core/jobs/record/job.ts";
import { isAuditedRun, selectRuns, toRunEntry } from "../../../core/jobs/run-audit.ts";
import { paginate } from "../../../core/objects/page.ts";
import { type AuditPage, countWanted, findAuditEntries, getAudit } from "../../audit/audit.ts";
import type { Uses } from "../../uses.ts";
import { mergeEntries, type ReadPage } from "./lists/merge-entries.ts";

/** A run that matches a query, before its job is read. */
interface FoundRun {
  job: string;
  atMs: number;
}

/**
 * Lists a workspace's audit log, the newest entries first. A run has no stored entry: its job, which records the same facts, is one for as long as
 * it exists. About `maxScanned` entries of each are compared: a page that is not full has `before` if more may match.
 */
export async function listWorkspaceAudit(
  deps: Uses<"jobs" | "objects">,
  workspace: string,
  query: AuditQuery,
  maxScanned: number = limits.listScan,
): Promise<AuditPage> {
  const [log, started] = await Promise.all([
    findAuditEntries(deps, workspace, query, maxScanned),
    findRuns(deps, workspace, query, maxScanned),
  ]);
  // Entries before the point at which either search stopped may follow entries that were not read.
  const stops = [log.stoppedAtMs, started.stoppedAtMs].filter((stop) => stop !== undefined);
  const stoppedAtMs = stops.length === 0 ? undefined : Math.max(...stops);
  const found = [...log.entries.map((entry) => ({ entry, atMs: Date.parse(entry.timestamp) })), ...started.runs]
    .filter(({ atMs }) => stoppedAtMs === undefined || atMs >= stoppedAtMs)
    .sort((a, b) => b.atMs - a.atMs);
  const page = paginate(found, query);
  const jobs = await deps.jobs.batchGet(page.flatMap((each) => ("job" in each ? [each.job] : [])));
  // The waiting run of a schedule may still be replaced.
  const begun = jobs.filter(({ state, claimer }) => state !== "queued" || claimer === undefined);
  const runs = new Map(begun.map((job) => [job.id, toRunEntry(job)]));
  const entries = page.flatMap((each) => ("job" in each ? (runs.get(each.job) ?? []) : each.entry));
  const isComplete = stoppedAtMs === undefined || found.length >= countWanted(query);
  return { entries, ...(isComplete ? {} : { before: toIsoTime(stoppedAtMs) }) };
}

/** Finds the newest runs that match in the index of all jobs, without reading the jobs, until the page is full or enough entries were compared. */
async function findRuns(
  { jobs }: Uses<"jobs">,
  workspace: string,
  query: AuditQuery,
  maxScanned: number,
): Promise<{ runs: FoundRun[]; stoppedAtMs?: number }> {
  const selection = selectRuns(query);
  if (!selection) return { runs: [] };
  const requiredCount = countWanted(query);
  const readers = buildListPartitions(workspace).map(
    (partition): ReadPage =>
      (limit, after) =>
        jobs.list({ index: "list", partition, ...selection, limit, ...defined({ after }) }),
  );
  const runs: FoundRun[] = [];
  let position: string | undefined;
  for await (const merged of mergeEntries(readers, { ascending: false, maxScanned })) {
    position = merged.position;
    runs.push(...merged.entries.map(({ id, sort }) => ({ job: id, atMs: toMs(sort) })));
    if (runs.length >= requiredCount) return { runs: runs.slice(0, requiredCount) };
  }
  return { runs, ...defined({ stoppedAtMs: mapDefined(position, toMs) }) };
}

/** Returns the time with which a sort key begins. */
const toMs = (sort: string) => Number.parseInt(sort, 10);

/** Returns one entry of a workspace's audit log, or of a run in it. Throws `audit.notFound`. */
export async function getWorkspaceAudit(deps: Uses<"jobs" | "objects">, workspace: string, id: string): Promise<AuditJson> {
  const job = await deps.jobs.get(id);
  return job?.workspace === workspace && isAuditedRun(job) ? toRunEntry(job) : getAudit(deps, workspace, id);
}
