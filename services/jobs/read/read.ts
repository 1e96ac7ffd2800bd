import type { Action } from "../../../contract/access/access-rule.ts";
import { SvcError } from "../../../contract/errors.ts";
import { isoTime } from "../../../contract/iso-time.ts";
import type { JobJson, JobUpdateJson } from "../../../contract/routes/jobs/job.ts";

import { argsVisibleTo, type EndedJob, getWaitState, hasEnded, type Job, PEOPLE, resultVisibleTo } from "../../../core/jobs/job.ts";
import type { Actor } from "../../../core/people/actor.ts";
import { may, type Target } from "../../../core/permissions/may.ts";
import { extractStream } from "../../../core/streams/stream-lines.ts";
import { permit } from "../../identity/permit.ts";
import { loadLogs, loadValue, type ValueDeps } from "../values/values.ts";

/** The caller who reads a job, and the action they do with it. */
export interface JobCaller {
  actor: Actor;
  action: Action;
}
/** A run on behalf of another user belongs to both: its starter and the user whom it runs as. */
function targetOf({ workspace, path, starter, email }: Job, actor: Actor): Target {
  return { workspace, path, owner: actor.email === email ? email : (starter ?? email), kind: "script" };
}

/**
 * A job that the asker may do `action` with. Throws `job.notFound`, for jobs of other workspaces and of people whose work the asker may
 * not see as well: whether they exist is not the caller's to know.
 */
export async function findJob(
  { jobs }: Pick<ValueDeps, "jobs">,
  asker: JobCaller,
  workspace: string,
  id: string,
  notFound: () => SvcError = () => new SvcError("job.notFound", { id }),
): Promise<Job> {
  const job = await jobs.get(id);
  if (job?.workspace !== workspace) throw notFound();
  permit(asker.actor, asker.action, targetOf(job, asker.actor), notFound);
  return job;
}

/** Returns a filter for the jobs that a list may show to the caller. */
export function createVisibilityFilter({ actor, action }: JobCaller): (job: Job) => boolean {
  return (job) => may(actor, action.access, targetOf(job, actor));
}

/** Throws `job.notFound` and `job.notFinished`. */
export async function findEndedJob(deps: Pick<ValueDeps, "jobs">, asker: JobCaller, workspace: string, id: string): Promise<EndedJob> {
  const job = await findJob(deps, asker, workspace, id);
  if (!hasEnded(job)) throw new SvcError("job.notFinished", { id });
  return job;
}

export interface JobParts {
  args?: boolean;
  result?: boolean;
  logs?: boolean;
  code?: boolean;
}

/** The Job of api.md §2.3, with the large values that are asked for. */
export async function loadJobJson(deps: ValueDeps, job: Job, parts: JobParts): Promise<JobJson> {
  const erased = hasEnded(job) && job.erased;
  const [args, result, logs, code] = await Promise.all([
    parts.args && !erased ? loadValue(deps, job, argsVisibleTo(PEOPLE, job)) : undefined,
    parts.result && hasEnded(job) && !erased ? loadValue(deps, job, resultVisibleTo(PEOPLE, job)) : undefined,
    parts.logs && !erased ? loadLogs(deps, job) : undefined,
    parts.code && job.code && !erased ? loadValue(deps, job, job.code) : undefined,
  ]);
  const shared = {
    id: job.id,
    workspace_id: job.workspace,
    ...(job.parent === undefined ? {} : { parent_job: job.parent }),
    ...(job.root === undefined ? {} : { root_job: job.root }),
    created_by: job.createdBy,
    created_at: isoTime(job.createdAtMs),
    ...(job.path === undefined ? {} : { script_path: job.path }),
    ...(job.hash === undefined ? {} : { script_hash: job.hash }),
    ...(args === undefined ? {} : { args: JSON.parse(args) as Record<string, unknown> }),
    ...(logs === undefined ? {} : { logs }),
    ...rawCode(code),
    canceled: job.state === "canceled" || (job.state === "running" && job.cancel !== undefined),
    ...(job.cancel ? { canceled_by: job.cancel.by, canceled_reason: job.cancel.reason } : {}),
    job_kind: job.kind,
    trigger_kind: job.trigger,
    permissioned_as: job.permissionedAs,
    email: job.email,
    visible_to_owner: true,
    is_flow_step: job.step !== undefined,
    ...(job.step === undefined ? {} : { flow_step_id: job.step.id }),
    ...(job.language === undefined ? {} : { language: job.language }),
    tag: job.tag,
    ...(job.preprocess === undefined ? {} : { preprocessed: job.preprocess === "done" }),
    ...(job.priority === undefined ? {} : { priority: job.priority }),
    ...(job.memPeakKb === undefined ? {} : { mem_peak: job.memPeakKb }),
  };
  if (hasEnded(job)) {
    const startedAtMs = job.startedAtMs ?? job.endedAtMs;
    return {
      type: "CompletedJob",
      ...shared,
      ...(job.worker === undefined ? {} : { worker: job.worker }),
      started_at: isoTime(startedAtMs),
      completed_at: isoTime(job.endedAtMs),
      duration_ms: job.endedAtMs - startedAtMs,
      success: job.state === "succeeded" || job.state === "skipped",
      is_skipped: job.state === "skipped",
      ...(result === undefined ? {} : { result: JSON.parse(result) }),
      ...(erased ? { deleted: true } : {}),
      ...(job.cachedFrom === undefined ? {} : { cached: true }),
    };
  }
  return {
    type: "QueuedJob",
    ...shared,
    running: job.state === "running",
    scheduled_for: isoTime(job.scheduledForMs ?? job.createdAtMs),
    ...(job.state === "running"
      ? { started_at: isoTime(job.startedAtMs), ...(job.worker === undefined ? {} : { worker: job.worker }) }
      : {}),
    ...waitsForPeople(job),
    ...(job.lastPingMs === undefined ? {} : { last_ping: isoTime(job.lastPingMs) }),
  };
}

/** How many of a flow's steps wait for people, and what it is called for that. */
function waitsForPeople(job: Job) {
  const state = getWaitState(job);
  return state === undefined ? {} : { suspend: (job.suspends ?? 0) + (job.consents ?? 0), state };
}

/** A previewed flow is shown as such, beside the job's other fields. */
function rawCode(code: string | undefined): { raw_code?: string } {
  const { content } = (code === undefined ? {} : JSON.parse(code)) as { content?: string };
  return content === undefined ? {} : { raw_code: content };
}

/** How long `getupdate` holds a request while nothing is new. */
const HOLD_MS = 1000;
const HOLD_STEP_MS = 100;

/** How long a reader counts as watching after it has said so; said again after half of it. */
export const WATCH_MS = 10_000;

/** Records that a reader follows the job, so that its runner sends output more often. */
export async function recordWatcher({ jobs, nowMs }: ValueDeps & { nowMs: () => number }, job: Job): Promise<void> {
  if ((job.watchedUntilMs ?? 0) >= nowMs() + WATCH_MS / 2) return;
  await jobs.change(job.id, { watchedUntilMs: nowMs() + WATCH_MS }, { attr: "state", eq: job.state });
}

export interface JobUpdateQuery {
  running?: boolean | undefined;
  log_offset?: number | undefined;
  /** The caller's offset in the stream. Without it the reply contains no stream. */
  stream_offset?: number | undefined;
  no_logs?: boolean | undefined;
  get_progress?: boolean | undefined;
}

/** Returns the changes since the caller's offsets. Without changes it waits for up to a second, because clients repeat the request at once. */
export async function waitForJobUpdate(
  deps: ValueDeps & { nowMs: () => number },
  asker: JobCaller,
  workspace: string,
  id: string,
  asked: JobUpdateQuery,
): Promise<JobUpdateJson> {
  const { nowMs } = deps;
  const untilMs = nowMs() + HOLD_MS;
  let job = await findJob(deps, asker, workspace, id);
  if (job.state === "running") await recordWatcher(deps, job);
  let logs = "";
  let stream = "";
  const { log_offset: seen = 0, stream_offset: heard } = asked;
  for (;;) {
    if (job.logChars > 0 && (!asked.no_logs || heard !== undefined)) {
      // Where a piece of the stream stands in the log, only the log from its beginning says.
      const log = await loadLogs(deps, job, heard === undefined ? seen : 0);
      logs = asked.no_logs ? "" : log.slice(heard === undefined ? 0 : seen);
      stream = heard === undefined ? "" : extractStream(log, hasEnded(job)).slice(heard);
    }
    // Who does not say what they believe can only wait for output or the end.
    const moved = asked.running !== undefined && asked.running !== (job.state === "running");
    const isNews = hasEnded(job) || logs !== "" || stream !== "" || moved;
    if (isNews || nowMs() >= untilMs) break;
    await new Promise((resolve) => setTimeout(resolve, HOLD_STEP_MS));
    job = await findJob(deps, asker, workspace, id);
  }
  return {
    running: job.state === "running",
    completed: hasEnded(job),
    ...(logs ? { new_logs: logs } : {}),
    log_offset: seen + logs.length,
    ...(stream && heard !== undefined ? { new_result_stream: stream, stream_offset: heard + stream.length } : {}),
    ...(job.memPeakKb === undefined ? {} : { mem_peak: job.memPeakKb }),
    ...(asked.get_progress && job.progress !== undefined ? { progress: job.progress } : {}),
  };
}
