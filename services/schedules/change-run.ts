import { describeError, isSvcError } from "../../contract/errors.ts";
import { hasEnded, type Job } from "../../core/jobs/record/job.ts";
import { canceledEnding } from "../../core/jobs/record/lifecycle.ts";
import { replaceUnchanged } from "../../core/objects/version.ts";
import type { StoredObject } from "../../core/objects/write.ts";
import { accessObject } from "../../core/permissions/access.ts";
import { continuesSchedule, parseNextRunId, toRunId } from "../../core/schedules/next-run.ts";
import { type StoredSchedule, scheduleObject } from "../../core/schedules/schedule.ts";
import { hasJobAt, nextCheckMs } from "../../core/schedules/tick-plan.ts";
import type { FoundNextRun } from "../../ports/schedule-store.ts";
import { type EndJobDeps, endJob } from "../jobs/lifecycle/end/end-job.ts";
import { commitParts, type TransactionPart } from "../outbox/commit-parts.ts";
import type { Uses } from "../uses.ts";
import { buildNextRun, findFreeTick, type NextRunDeps, nameLastRun, parseTarget, sendRun, toTargetKey } from "./next-run.ts";

/** A stored schedule with its next run. */
export interface LoadedSchedule {
  workspace: string;
  found: StoredObject;
  schedule: StoredSchedule;
  nextRun: FoundNextRun;
}

/** Loads a schedule with its next run. Returns `undefined` unless it is enabled and both belong together. */
export async function loadSchedule(
  { objects, schedules }: Uses<"objects" | "schedules">,
  workspace: string,
  path: string,
): Promise<LoadedSchedule | undefined> {
  const [found, nextRun] = await Promise.all([objects.get(scheduleObject.key(workspace, path)), schedules.get(workspace, path)]);
  const schedule = found && scheduleObject.parse(found);
  if (!found || !schedule?.enabled || nextRun.next?.schedule !== schedule.id) return undefined;
  return { workspace, found, schedule, nextRun };
}

/** Builds the part that writes an error to an unchanged schedule. */
export function buildErrorPart(
  { nowMs }: Uses<"nowMs">,
  { found, schedule }: LoadedSchedule,
  change: Partial<StoredSchedule>,
): TransactionPart {
  const value = { ...schedule, ...change };
  return { write: replaceUnchanged({ stored: found, value, by: undefined, atMs: nowMs() }), refused: undefined };
}

/** Turns a schedule off with the reason, unless it has changed since it was read. Returns whether it was turned off. */
export function turnOff(deps: NextRunDeps, loaded: LoadedSchedule, error: string): Promise<boolean> {
  return commitParts(deps.objects, [
    buildErrorPart(deps, loaded, { enabled: false, error, ...nameLastRun(loaded.nextRun) }),
    { write: { raw: deps.schedules.removeParams(loaded.nextRun) }, refused: undefined },
  ]);
}

/** Ends the queued job of a tick that does not start. */
export async function cancelTick(deps: EndJobDeps, job: Job, reason: string): Promise<void> {
  const cancel = { by: "svc", reason };
  await endJob(deps, { ...job, cancel }, canceledEnding(cancel), { cancel });
}

const missing = ({ isFlow, scriptPath }: StoredSchedule) => `There is no ${isFlow ? "flow" : "script"} at ${scriptPath}.`;

/**
 * Creates the next run of a schedule after an instant (epoch ms), or turns the schedule off if it has nothing to run. Does nothing if it has
 * changed.
 */
export async function advanceSchedule(
  deps: NextRunDeps,
  loaded: LoadedSchedule,
  afterMs: number,
  parts: TransactionPart[] = [],
): Promise<boolean> {
  const { workspace, schedule, nextRun } = loaded;
  const target = parseTarget(schedule, await deps.objects.get(toTargetKey(workspace, schedule)));
  if (!target) return turnOff(deps, loaded, missing(schedule));
  try {
    const tickMs = await findFreeTick(deps, schedule, afterMs);
    const next = await buildNextRun(deps, { workspace, schedule, target }, nextRun, { tickMs, last: nextRun.next?.last });
    if (!(await commitParts(deps.objects, [...next.parts, ...parts]))) return false;
    await sendRun(deps, next.job);
    return true;
  } catch (error) {
    if (!isSvcError(error) || error.code !== "schedule.invalid") throw error;
    return turnOff(deps, loaded, describeError(error).sentence);
  }
}

/** The maximum number of attempts of a change while other writers interfere. Housekeeping repairs the schedule later. */
const TRIES = 5;

async function isArchived({ objects }: NextRunDeps, workspace: string): Promise<boolean> {
  const found = await objects.get(accessObject.key(workspace));
  return found !== undefined && accessObject.parse(found).state !== undefined;
}

/** In an archived workspace, housekeeping checks at this interval whether the workspace was restored. */
const ARCHIVED_CHECK_MS = 15 * 60_000;

/** Sets the time (epoch ms) at which housekeeping checks a schedule, unless its next run has changed. */
async function setCheck({ objects, schedules }: NextRunDeps, nextRun: FoundNextRun, dueAtMs: number): Promise<void> {
  if (!nextRun.next) return;
  await objects.transactWrite([{ raw: schedules.replaceParams(nextRun, { ...nextRun.next, dueAtMs }) }]);
}

/**
 * Creates the next run of a schedule after the end of a job that has not started, for example because it was canceled, or of a flow that may not
 * overlap. Does nothing for other jobs.
 */
export async function continueScheduleAfter(deps: NextRunDeps, id: string): Promise<void> {
  const job = await deps.jobs.get(id);
  if (!job || !hasEnded(job) || job.schedulePath === undefined || !continuesSchedule(job)) return;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const loaded = await loadSchedule(deps, job.workspace, job.schedulePath);
    const next = loaded?.nextRun.next;
    if (!next || next.job !== id) return;
    if (await isArchived(deps, job.workspace)) {
      await setCheck(deps, loaded.nextRun, deps.nowMs() + ARCHIVED_CHECK_MS);
      return;
    }
    if (await advanceSchedule(deps, loaded, Math.max(deps.nowMs(), next.tickMs))) return;
  }
}

/**
 * Checks a schedule whose next run is due to be checked: creates the job of a tick that is now near, and replaces a lost next run. `id` is the
 * key of the item. Idempotent.
 */
export async function reconcileSchedule(deps: NextRunDeps, id: string): Promise<void> {
  const { jobs, schedules, objects, nowMs } = deps;
  const { workspace = "", path = "" } = parseNextRunId(id) ?? {};
  const loaded = await loadSchedule(deps, workspace, path);
  if (!loaded?.nextRun.next) {
    const found = await schedules.get(workspace, path);
    if (found.next) await commitParts(objects, [{ write: { raw: schedules.removeParams(found) }, refused: undefined }]);
    return;
  }
  const { schedule, nextRun } = loaded;
  const { next } = nextRun as { next: NonNullable<typeof nextRun.next> };
  const now = nowMs();
  const job = next.job === undefined ? undefined : await jobs.get(next.job);
  const isLost = next.job === undefined ? hasJobAt(next.tickMs, now) : job === undefined || hasEnded(job);
  const isHeld = isLost && (await isArchived(deps, workspace));
  if (!isLost || isHeld) return setCheck(deps, nextRun, isHeld ? now + ARCHIVED_CHECK_MS : nextCheckMs(next.tickMs, now));
  // A tick that never had a job gets one, also if it is late: its job is skipped and named when it is too late.
  const isUnused = !(await jobs.get(toRunId(schedule.id, next.tickMs)));
  await advanceSchedule(deps, loaded, isUnused ? next.tickMs - 1 : Math.max(now, next.tickMs));
}
