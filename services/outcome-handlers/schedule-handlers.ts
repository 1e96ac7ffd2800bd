import { randomUUID } from "node:crypto";
import { actions } from "../../contract/access/actions.ts";
import { type EndedJob, getStartMs, hasEnded, hasFlowPath, isSuccess } from "../../core/jobs/record/job.ts";
import { unchangedSince, write } from "../../core/objects/write.ts";
import {
  countOutcome,
  findHandlerCalls,
  hasOutcomeHandlers,
  hasRecovered,
  NO_OUTCOMES,
  type OutcomeCount,
  type ScheduleHandlerCall,
  scheduleOutcomesObject,
} from "../../core/outcome-handlers/schedule-outcomes.ts";
import { may } from "../../core/permissions/may.ts";
import type { StoredSchedule } from "../../core/schedules/schedule.ts";
import { reportFailure } from "../../core/telemetry/telemetry.ts";
import { findHandlerTarget } from "../flows/definitions/find-handler.ts";
import { loadJobActor } from "../identity/identify.ts";
import type { Uses } from "../uses.ts";
import { callHandler, type HandlerIdentity } from "./call-handler.ts";
import { loadError, loadSuccess } from "./load-outcome.ts";

/** The number of times that an end is counted while other runs of the schedule end. */
const TRIES = 10;
/** The retention of the count of a schedule's failures after the last one, in seconds. */
const RETENTION_S = 400 * 24 * 3600;

/** Calls the handlers of a schedule after the end of one of its runs, as the user for whom the schedule runs. A repeated call changes nothing. */
export async function startScheduleHandlers(
  deps: Uses<"jobs" | "objects" | "storage" | "queue" | "nowMs">,
  job: EndedJob,
  schedule: StoredSchedule,
): Promise<void> {
  if (job.state === "skipped" || !hasOutcomeHandlers(schedule.settings)) return;
  const count = await countOnce(deps, job, schedule);
  if (!count) return;
  for (const call of findHandlerCalls(schedule.settings, isSuccess(job), count)) await startHandler(deps, job, schedule, call);
}

/**
 * Counts the end of a run once: the count of the schedule and a note of it in the run's record are one transaction. A repeated call finds the note.
 * Returns `undefined` if another process has already called the handlers.
 */
async function countOnce(
  deps: Uses<"jobs" | "objects" | "nowMs">,
  job: EndedJob,
  { id, settings }: StoredSchedule,
): Promise<OutcomeCount | undefined> {
  const { jobs, objects, nowMs } = deps;
  const key = scheduleOutcomesObject.key(job.workspace, id);
  let current: EndedJob = job;
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (current.outcomeCount) return current.outcomeCount;
    const found = await objects.get(key);
    const before = found ? scheduleOutcomesObject.parse(found) : NO_OUTCOMES;
    const run = { succeeded: isSuccess(job), job: job.id, startedAtMs: getStartMs(job) };
    const count = countOutcome(before, run);
    const isMarked = { and: [{ attr: "followUp", eq: true } as const, { attr: "outcomeCount", exists: false } as const] };
    const expiresAtS = Math.ceil(nowMs() / 1000) + RETENTION_S;
    const expect = found ? unchangedSince(found) : "absent";
    const refused = await objects.transactWrite([
      hasRecovered(settings, count)
        ? write.remove(key, expect)
        : write.put({ ...key, value: count, version: randomUUID(), expiresAtS }, expect),
      { raw: jobs.updateParams(job.id, { outcomeCount: count }, isMarked) },
    ]);
    if (refused === undefined) return count;
    const now = await jobs.get(job.id);
    if (!now || !hasEnded(now) || !now.followUp) return undefined;
    current = now;
  }
  throw new Error(`The end of job ${job.id} could not be counted, because other runs of its schedule ended repeatedly.`);
}

async function startHandler(
  deps: Uses<"jobs" | "objects" | "storage" | "queue" | "nowMs">,
  job: EndedJob,
  schedule: StoredSchedule,
  call: ScheduleHandlerCall,
): Promise<void> {
  const { workspace } = job;
  const target = await findHandlerTarget(deps.objects, workspace, call.path);
  if (!target) return;
  const { email, permissionedAs, superAdmin } = schedule;
  const identity: HandlerIdentity = { createdBy: permissionedAs.replace(/^u\//, ""), email, permissionedAs, superAdmin };
  const actor = await loadJobActor(deps.objects, { ...job, ...identity });
  const { access } = target.kind === "flow" ? actions.runFlow : actions.runScript;
  if (!actor || !may(actor, access, { workspace, path: target.path })) {
    const reason = new Error(`${permissionedAs} may not run ${call.path}.`);
    reportFailure("A handler of a schedule was not called", reason, { job: job.id });
    return;
  }
  const args = {
    ...call.extraArgs,
    path: job.path,
    is_flow: hasFlowPath(job),
    schedule_path: schedule.path,
    ...(await describeOutcome(deps, job, call)),
  };
  await callHandler(deps, job, { name: call.name, target, args, identity });
}

const toIso = (atMs: number) => new Date(atMs).toISOString();

async function describeOutcome(deps: Uses<"jobs" | "storage">, job: EndedJob, { name, times, failed }: ScheduleHandlerCall) {
  if (name === "on_failure") return { error: await loadError(deps, job), started_at: toIso(getStartMs(job)), failed_times: times };
  return {
    success_times: times,
    success_result: await loadSuccess(deps, job),
    success_started_at: toIso(getStartMs(job)),
    ...(failed ? { error: await loadError(deps, await deps.jobs.get(failed.job)), error_started_at: toIso(failed.startedAtMs) } : {}),
  };
}
