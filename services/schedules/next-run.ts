import { defined } from "../../contract/defined.ts";
import { SvcError } from "../../contract/errors.ts";
import { flowHeadObject } from "../../core/flows/version.ts";
import { hasEnded, type QueuedJob } from "../../core/jobs/record/job.ts";
import { firstDueMs } from "../../core/jobs/record/lifecycle.ts";
import type { ObjectKey, StoredObject } from "../../core/objects/write.ts";
import type { Person } from "../../core/people/actor.ts";
import { parseTiming } from "../../core/schedules/cron.ts";
import { SCHEDULE_CLAIMER, toRunId } from "../../core/schedules/next-run.ts";
import type { StoredSchedule } from "../../core/schedules/schedule.ts";
import { findTickAfter, hasJobAt, nextCheckMs } from "../../core/schedules/tick-plan.ts";
import { scriptHeadObject } from "../../core/scripts/version.ts";
import { reportFailure } from "../../core/telemetry/telemetry.ts";
import type { FoundNextRun } from "../../ports/schedule-store.ts";
import type { RunTarget } from "../execution/requests/run-request.ts";
import { parseFlow } from "../flows/definitions/load.ts";
import { buildFlowJobFields, buildScriptJobFields, type NewJob, prepareJob, sendJob } from "../jobs/queue/enqueue.ts";
import type { TransactionPart } from "../outbox/commit-parts.ts";
import { parseScript } from "../scripts/load.ts";
import type { Uses } from "../uses.ts";
import { buildRetriedScript } from "./retried-script.ts";

export type NextRunDeps = Uses<"jobs" | "objects" | "storage" | "schedules" | "queue" | "nowMs">;

/** A schedule with its script or flow. */
export interface ScheduledTarget {
  workspace: string;
  schedule: StoredSchedule;
  target: RunTarget;
}

/** Returns the key of a schedule's script or flow. */
export const toTargetKey = (workspace: string, { scriptPath, isFlow }: Pick<StoredSchedule, "scriptPath" | "isFlow">): ObjectKey =>
  isFlow ? flowHeadObject.key(workspace, scriptPath) : scriptHeadObject.key(workspace, scriptPath);

/** Returns the stored script or flow of a schedule, or `undefined` if it is archived, deleted or absent. */
export function parseTarget({ isFlow }: Pick<StoredSchedule, "isFlow">, found: StoredObject | undefined): RunTarget | undefined {
  if (isFlow) {
    const version = parseFlow(found);
    return version && !version.archived ? { kind: "flow", version } : undefined;
  }
  const version = parseScript(found);
  return version && !version.archived && !version.deleted ? { kind: "script", version } : undefined;
}

/** Returns the checked timing of a schedule. Throws `schedule.invalid`. */
export const toClock = ({ schedule, timezone, settings }: StoredSchedule) =>
  parseTiming({ schedule, timezone, cronVersion: settings.cron_version ?? undefined });

/** Returns the user for whom the runs act, as the caller who starts them. */
export const toRunner = ({ email, permissionedAs, superAdmin }: StoredSchedule): Person => ({
  kind: "person",
  email,
  username: permissionedAs.replace(/^u\//, ""),
  superAdmin,
  tokenHash: "",
  tokenPrefix: "",
});

/** Builds the job of a tick. Its slot of a concurrency group is requested when it starts. */
export function buildRun({ workspace, schedule, target }: ScheduledTarget, tickMs: number): NewJob {
  const { args, settings, path: schedulePath } = schedule;
  const { retry, tag } = settings;
  const { concurrency: _, ...fields } =
    target.kind === "flow"
      ? buildFlowJobFields(target.version)
      : retry
        ? buildRetriedScript(target.version, retry, args)
        : buildScriptJobFields(target.version);
  return {
    actor: toRunner(schedule),
    workspace,
    ...fields,
    tag: tag ?? target.version.tag,
    args,
    id: toRunId(schedule.id, tickMs),
    scheduledForMs: tickMs,
    trigger: "schedule",
    schedulePath,
    claimer: SCHEDULE_CLAIMER,
  };
}

/** The writes that create the next run of a schedule, and the job to send afterwards. `job` is absent if the tick is in the far future. */
export interface NextRunParts {
  parts: TransactionPart[];
  /** The index of the part that creates the job. It is refused if the tick already had a job. */
  jobPart: number | undefined;
  job: QueuedJob | undefined;
}

interface NextTick {
  tickMs: number;
  /** The job that has started last. */
  last?: string | undefined;
  /** Do not change the next housekeeping check, which saves a write to its index. */
  keepCheck?: boolean;
}

/** Builds the parts that create the next run of a schedule at a tick (epoch ms), in place of the stored item. */
export async function buildNextRun(
  deps: NextRunDeps,
  { schedule, workspace, target }: ScheduledTarget,
  found: FoundNextRun,
  { tickMs, last, keepCheck = false }: NextTick,
): Promise<NextRunParts> {
  const { jobs, schedules, nowMs } = deps;
  const now = nowMs();
  const dueAtMs = (keepCheck ? found.next?.dueAtMs : undefined) ?? nextCheckMs(tickMs, now);
  const prepared = hasJobAt(tickMs, now) ? await prepareJob(deps, buildRun({ schedule, workspace, target }, tickMs)) : undefined;
  // A missed tick also has its own time.
  const job = prepared && { ...prepared, scheduledForMs: tickMs };
  const next = {
    schedule: schedule.id,
    tickMs,
    dueAtMs,
    ...(job ? { job: job.id } : {}),
    ...defined({ last }),
  };
  const parts: TransactionPart[] = [{ write: { raw: schedules.replaceParams(found, next) }, refused: undefined }];
  if (!job) return { parts, jobPart: undefined, job };
  const params = jobs.createParams(job, firstDueMs(now, tickMs));
  return { parts: [...parts, { write: { raw: { Put: params } }, refused: undefined }], jobPart: 1, job };
}

/** Returns the field of a schedule that is turned off, because its next run is removed. */
export const nameLastRun = ({ next }: FoundNextRun): Pick<StoredSchedule, "lastRun"> =>
  next?.last === undefined ? {} : { lastRun: next.last };

/**
 * Builds the parts for a schedule that is saved: they remove its waiting job and create its next run if it is enabled. A tick that has had a job
 * does not get a second one.
 */
export async function buildSavedRun(
  deps: NextRunDeps,
  found: FoundNextRun,
  { schedule, workspace, target }: Omit<ScheduledTarget, "target"> & { target: RunTarget | undefined },
): Promise<NextRunParts> {
  const { jobs, schedules, nowMs } = deps;
  const before = found.next?.job === undefined ? undefined : await jobs.get(found.next.job);
  const waiting = before?.state === "queued" && before.claimer !== undefined ? before : undefined;
  const removal: TransactionPart[] = waiting
    ? [{ write: { raw: jobs.removeParams(waiting.id, jobs.isUnclaimed) }, refused: undefined }]
    : [];
  if (!schedule.enabled || !target) {
    const gone: TransactionPart[] = found.next ? [{ write: { raw: schedules.removeParams(found) }, refused: undefined }] : [];
    return { parts: [...removal, ...gone], jobPart: undefined, job: undefined };
  }
  const tickMs = await findFreeTick(deps, schedule, nowMs(), waiting?.id);
  const last = before && !waiting && !hasEnded(before) ? before.id : (found.next?.last ?? schedule.lastRun);
  const { parts, jobPart, job } = await buildNextRun(deps, { schedule, workspace, target }, found, { tickMs, last });
  if (!job || job.id !== waiting?.id) return { parts: [...parts, ...removal], jobPart, job };
  // The tick is the same, and an item can be written only once in a transaction.
  const replaced = jobs.createParams(job, firstDueMs(nowMs(), tickMs), jobs.isUnclaimed);
  return { parts: [...parts.slice(0, -1), { write: { raw: { Put: replaced } }, refused: undefined }], jobPart, job };
}

/** Returns the first tick after an instant that has had no job, except `ownJobId`. Throws `schedule.invalid`. */
export async function findFreeTick({ jobs }: Uses<"jobs">, schedule: StoredSchedule, afterMs: number, ownJobId?: string): Promise<number> {
  const clock = toClock(schedule);
  for (let after = afterMs; ; ) {
    const tickMs = findTickAfter(clock, after, schedule.settings.paused_until);
    if (tickMs === undefined) throw new SvcError("schedule.invalid", { field: "schedule", reason: "it never fires again" });
    const id = toRunId(schedule.id, tickMs);
    if (id === ownJobId || !(await jobs.get(id))) return tickMs;
    after = tickMs;
  }
}

/** Sends the message of a new run if its tick is near. If it cannot be sent, housekeeping sends it. */
export async function sendRun(deps: Uses<"queue" | "nowMs">, job: QueuedJob | undefined): Promise<void> {
  if (!job) return;
  await sendJob(deps, job).catch((error: unknown) =>
    reportFailure("The run of a schedule could not be sent to the queue; housekeeping sends it", error, { job: job.id }),
  );
}
