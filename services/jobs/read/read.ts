import type * as z from "zod";
import type { Action } from "../../../contract/access/access-rule.ts";
import { defined, mapDefined } from "../../../contract/defined.ts";
import { SvcError } from "../../../contract/errors.ts";
import type { JobJson, JobUpdateJson } from "../../../contract/routes/jobs/job.ts";
import { toIsoTime } from "../../../contract/utilities/iso-time.ts";
import { createShow, identityFields, originFields, runFields } from "../../../core/jobs/record/fields.ts";
import {
  argsVisibleTo,
  type EndedJob,
  getScheduledMs,
  getStartMs,
  getWaitState,
  hasEnded,
  hasFlowPath,
  isSuccess,
  type Job,
  PEOPLE,
  type QueuedJob,
  resultVisibleTo,
} from "../../../core/jobs/record/job.ts";
import { getPreviews } from "../../../core/jobs/record/preview.ts";
import type { Actor } from "../../../core/people/actor.ts";
import { may, type Target } from "../../../core/permissions/may.ts";
import { parseJson } from "../../../core/records/record-format.ts";
import { extractStream } from "../../../core/streams/stream-lines.ts";
import { permit } from "../../identity/permit.ts";
import type { Uses } from "../../uses.ts";
import { loadLogs, loadValue } from "../values/values.ts";

/** The caller who accesses a job, and the action. */
export interface JobCaller {
  actor: Actor;
  action: Action;
}

/** A job in a request. */
export type JobAddress = Pick<Job, "workspace" | "id">;

/** A run on behalf of another user belongs to both: its starter and the user as whom it runs. */
function toTarget(job: Job, actor: Actor): Target {
  const { workspace, path, starter, email } = job;
  // A script and a flow may have the same path, and each has its own extra permissions.
  const kind = hasFlowPath(job) ? "flow" : "script";
  return { workspace, path, owner: actor.email === email ? email : (starter ?? email), kind };
}

/**
 * Returns a job for which the caller may perform the action. Throws `job.notFound` also for jobs of other workspaces and for jobs that the
 * caller may not see, so that their existence is not revealed.
 */
export async function findJob(
  { jobs }: Uses<"jobs">,
  caller: JobCaller,
  { workspace, id }: JobAddress,
  notFound: () => SvcError = () => new SvcError("job.notFound", { id }),
): Promise<Job> {
  const job = await jobs.get(id);
  if (job?.workspace !== workspace) throw notFound();
  permit(caller.actor, caller.action, toTarget(job, caller.actor), notFound);
  return job;
}

/** Returns a filter for the jobs that a list may show to the caller. */
export function createVisibilityFilter({ actor, action }: JobCaller): (job: Job) => boolean {
  return (job) => may(actor, action.access, toTarget(job, actor));
}

/** Returns a job that has ended, as `findJob` does. Throws `job.notFound` and `job.notFinished`. */
export async function findEndedJob(deps: Uses<"jobs">, caller: JobCaller, { workspace, id }: JobAddress): Promise<EndedJob> {
  const job = await findJob(deps, caller, { workspace, id });
  if (!hasEnded(job)) throw new SvcError("job.notFinished", { id });
  return job;
}

/** Returns a job that has not started, as `findJob` does. Throws `job.notFound` and `job.notQueued`. */
export async function findQueuedJob(deps: Uses<"jobs">, caller: JobCaller, { workspace, id }: JobAddress): Promise<QueuedJob> {
  const job = await findJob(deps, caller, { workspace, id });
  if (job.state !== "queued") throw new SvcError("job.notQueued", { id });
  return job;
}

export interface JobParts {
  args?: boolean;
  result?: boolean;
  logs?: boolean;
  code?: boolean;
  /** The beginning of arguments and result, which need no further reads. */
  previews?: boolean;
}

const showIdentity = createShow(identityFields);
const showOrigin = createShow(originFields);
const showRun = createShow(runFields);

/** Returns a job as the Job of api.md §2.3, with the large values that `parts` selects. */
export async function loadJobJson(deps: Uses<"jobs" | "storage">, job: Job, parts: JobParts): Promise<JobJson> {
  const erased = hasEnded(job) && job.erased;
  const [args, result, logs, code] = await Promise.all([
    parts.args && !erased ? loadValue(deps, job, argsVisibleTo(PEOPLE, job)) : undefined,
    parts.result && hasEnded(job) && !erased ? loadValue(deps, job, resultVisibleTo(PEOPLE, job)) : undefined,
    parts.logs && !erased ? loadLogs(deps, job) : undefined,
    parts.code && job.code && !erased ? loadValue(deps, job, job.code) : undefined,
  ]);
  const shared = {
    ...showIdentity(job),
    ...defined({
      args: mapDefined(args, (json) => parseJson({ parent: job.id, ref: "args", json }) as Record<string, unknown>),
      logs,
    }),
    ...rawCodeField(job.id, code),
    canceled: job.state === "canceled" || (job.state === "running" && job.cancel !== undefined),
    ...(job.cancel ? { canceled_by: job.cancel.by, canceled_reason: job.cancel.reason } : {}),
    ...showOrigin(job),
    visible_to_owner: true,
    is_flow_step: job.step !== undefined,
    ...defined({ flow_step_id: job.step?.id }),
    ...showRun(job),
    ...(parts.previews ? getPreviews(job) : {}),
  };
  if (hasEnded(job)) {
    const startedAtMs = getStartMs(job);
    return {
      type: "CompletedJob",
      ...shared,
      ...defined({ worker: job.worker }),
      started_at: toIsoTime(startedAtMs),
      completed_at: toIsoTime(job.endedAtMs),
      duration_ms: job.endedAtMs - startedAtMs,
      success: isSuccess(job),
      is_skipped: job.state === "skipped",
      ...defined({
        result: mapDefined(result, (json) => parseJson({ parent: job.id, ref: "result", json }) as z.core.util.JSONType),
      }),
      ...(erased ? { deleted: true } : {}),
      ...(job.cachedFrom === undefined ? {} : { cached: true }),
    };
  }
  return {
    type: "QueuedJob",
    ...shared,
    running: job.state === "running",
    scheduled_for: toIsoTime(getScheduledMs(job)),
    ...(job.state === "running" ? { started_at: toIsoTime(job.startedAtMs), ...defined({ worker: job.worker }) } : {}),
    ...approvalFields(job),
    ...defined({ last_ping: mapDefined(job.lastPingMs, toIsoTime) }),
  };
}

/** Returns the number of steps of a flow that wait for approval, and the resulting state of the flow. */
function approvalFields(job: Job) {
  const state = getWaitState(job);
  return state === undefined ? {} : { suspend: (job.suspends ?? 0) + (job.consents ?? 0), state };
}

/** The JSON of a previewed script also contains its code. The code of a previewed flow is part of the fields of flows. */
function rawCodeField(parent: string, json: string | undefined): { raw_code?: string } {
  const { content } = (json === undefined ? {} : parseJson({ parent, ref: "code", json })) as { content?: string };
  return defined({ raw_code: content });
}

/** The time that `getupdate` waits while there is no change. */
const HOLD_MS = 1000;
const HOLD_STEP_MS = 100;

/** The time for which a reader counts as watching after a request. It is recorded again after half of this time. */
export const WATCH_MS = 10_000;

/** Records that a reader follows the job, so that its runner sends output more often. */
export async function recordWatcher({ jobs, nowMs }: Uses<"jobs" | "nowMs">, job: Job): Promise<void> {
  if ((job.watchedUntilMs ?? 0) >= nowMs() + WATCH_MS / 2) return;
  await jobs.update(job.id, { watchedUntilMs: nowMs() + WATCH_MS }, { attr: "state", eq: job.state });
}

export interface JobUpdateQuery {
  running?: boolean | undefined;
  log_offset?: number | undefined;
  /** The caller's offset in the stream. Without it the reply contains no stream. */
  stream_offset?: number | undefined;
  no_logs?: boolean | undefined;
  get_progress?: boolean | undefined;
}

/**
 * Returns the changes since the caller's offsets. Without changes it waits for up to a second, because clients repeat the request at once.
 * Throws `job.notFound`.
 */
export async function waitForJobUpdate(
  deps: Uses<"jobs" | "storage" | "nowMs">,
  caller: JobCaller,
  { workspace, id }: JobAddress,
  request: JobUpdateQuery,
): Promise<JobUpdateJson> {
  const { nowMs } = deps;
  const untilMs = nowMs() + HOLD_MS;
  let job = await findJob(deps, caller, { workspace, id });
  if (job.state === "running") await recordWatcher(deps, job);
  let logs = "";
  let stream = "";
  const { log_offset: logOffset = 0, stream_offset: streamOffset } = request;
  for (;;) {
    if (job.logChars > 0 && (!request.no_logs || streamOffset !== undefined)) {
      // The position of stream lines is known only when the log is read from the beginning.
      const log = await loadLogs(deps, job, streamOffset === undefined ? logOffset : 0);
      logs = request.no_logs ? "" : log.slice(streamOffset === undefined ? 0 : logOffset);
      stream = streamOffset === undefined ? "" : extractStream(log, hasEnded(job)).slice(streamOffset);
    }
    // A caller who does not send `running` can only wait for output or the end.
    const stateChanged = request.running !== undefined && request.running !== (job.state === "running");
    const hasChanged = hasEnded(job) || logs !== "" || stream !== "" || stateChanged;
    if (hasChanged || nowMs() >= untilMs) break;
    await new Promise((resolve) => setTimeout(resolve, HOLD_STEP_MS));
    job = await findJob(deps, caller, { workspace, id });
  }
  return {
    running: job.state === "running",
    completed: hasEnded(job),
    ...(logs ? { new_logs: logs } : {}),
    log_offset: logOffset + logs.length,
    ...(stream && streamOffset !== undefined ? { new_result_stream: stream, stream_offset: streamOffset + stream.length } : {}),
    ...defined({ mem_peak: job.memPeakKb }),
    ...(request.get_progress && job.progress !== undefined ? { progress: job.progress } : {}),
  };
}
