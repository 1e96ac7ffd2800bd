import type { JobListQuery } from "../../../contract/routes/jobs/job-lists.ts";
import { matchesWildcard } from "../../patterns/wildcard.ts";
import { type EndedJob, getWaitState, hasEnded, isSuccess, type Job } from "../record/job.ts";

/** The scope of a list: all jobs, queued and running jobs, or ended jobs. */
export type ListScope = "all" | "queue" | "completed";

/**
 * Returns whether a value, or one of several, matches a filter. `a,b` matches a and b; `!a,!b` matches all values except a and b. `*` matches any
 * text if wildcards are allowed.
 */
export function matchesList(filter: string | undefined, value: string | readonly string[] | undefined, wildcards = false): boolean {
  if (filter === undefined || filter === "") return true;
  const members = filter.split(",").map((member) => member.trim());
  const negated = members.every((member) => member.startsWith("!"));
  const values = typeof value === "object" ? value : [value ?? ""];
  const found = members.some((member) => {
    const plain = negated ? member.slice(1) : member;
    return values.some((each) => (wildcards ? matchesWildcard(plain, each) : plain === each));
  });
  return negated ? !found : found;
}

const at = (timestamp: string | undefined) => (timestamp === undefined ? undefined : Date.parse(timestamp));
/** `before` is inclusive, `after` exclusive. An absent value matches neither. */
function within(valueMs: number | undefined, before: string | undefined, after: string | undefined): boolean {
  const beforeMs = at(before);
  const afterMs = at(after);
  if (beforeMs === undefined && afterMs === undefined) return true;
  if (valueMs === undefined) return false;
  return (beforeMs === undefined || valueMs <= beforeMs) && (afterMs === undefined || valueMs > afterMs);
}

const statusOf: Record<EndedJob["state"], string> = { succeeded: "success", failed: "failure", canceled: "canceled", skipped: "skipped" };
const unless = (expected: boolean | undefined, actual: boolean) => expected === undefined || expected === actual;

/** Returns whether a job matches every filter of api.md §2.2 except `args` and `result`, which require the values themselves. */
export function matchesJob(job: Job, query: JobListQuery, scope: ListScope, nowMs: number): boolean {
  const ended = hasEnded(job);
  if (scope === "queue" && ended) return false;
  if (scope === "completed" && !ended) return false;
  const wild = query.allow_wildcards ?? false;
  const success = ended && isSuccess(job);
  const started = job.state === "queued" ? undefined : job.startedAtMs;
  return (
    matchesList(query.created_by, job.createdBy, wild) &&
    matchesList(query.parent_job, job.parent) &&
    matchesList(query.script_path_exact, job.path, wild) &&
    (query.script_path_start === undefined || (job.path ?? "").startsWith(query.script_path_start)) &&
    matchesList(query.script_hash, job.hash) &&
    matchesList(query.tag, job.tag, wild) &&
    matchesList(query.worker, job.state === "queued" ? undefined : job.worker, wild) &&
    matchesList(query.job_kinds, job.kind) &&
    matchesList(query.trigger_kind, job.trigger) &&
    matchesList(query.schedule_path, job.schedulePath, wild) &&
    (query.is_not_schedule !== true || job.schedulePath === undefined) &&
    matchesList(query.label, job.labels ?? [], wild) &&
    matchesList(query.trigger_path, job.triggerPath, wild) &&
    within(job.createdAtMs, query.created_before, query.created_after) &&
    (ended || within(job.createdAtMs, query.created_before_queue, query.created_after_queue)) &&
    within(started, query.started_before, query.started_after) &&
    within(ended ? job.endedAtMs : undefined, query.completed_before, query.completed_after) &&
    unless(query.running, job.state === "running") &&
    unless(query.suspended, getWaitState(job) !== undefined) &&
    (query.scheduled_for_before_now !== true || ended || (job.scheduledForMs ?? job.createdAtMs) <= nowMs) &&
    (query.success === undefined || (ended && query.success === success)) &&
    (query.status === undefined || (ended && matchesList(query.status, statusOf[job.state]))) &&
    (query.is_skipped === undefined || (ended && query.is_skipped === (job.state === "skipped"))) &&
    unless(query.is_flow_step, job.step !== undefined) &&
    (query.has_null_parent !== true || job.parent === undefined) &&
    (query.broad_filter === undefined ||
      [job.id, job.path, job.createdBy, job.tag].some((text) => text?.includes(query.broad_filter ?? "")))
  );
}

/** Returns whether `value` contains every part of `subset`: objects by key, arrays and plain values by equality. */
export function isJsonSubset(subset: unknown, value: unknown): boolean {
  if (subset === null || typeof subset !== "object" || Array.isArray(subset)) return JSON.stringify(subset) === JSON.stringify(value);
  if (value === null || typeof value !== "object" || Array.isArray(value)) return false;
  const found = value as Record<string, unknown>;
  return Object.entries(subset).every(([key, part]) => Object.hasOwn(found, key) && isJsonSubset(part, found[key]));
}
