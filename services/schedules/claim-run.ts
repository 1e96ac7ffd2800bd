import type { HeadChange } from "../../aws/dynamodb/job-items.ts";
import { actions } from "../../contract/access/actions.ts";
import { resolveConcurrency } from "../../core/jobs/concurrency.ts";
import { findDelegation, hasEnded, type QueuedJob, type RunningJob } from "../../core/jobs/record/job.ts";
import type { JobMessage } from "../../core/jobs/record/lifecycle.ts";
import { versionFields } from "../../core/jobs/record/run-settings.ts";
import type { JobActor } from "../../core/people/actor.ts";
import { personKey } from "../../core/people/person.ts";
import { may } from "../../core/permissions/may.ts";
import { findTickAfter, planTick } from "../../core/schedules/tick-plan.ts";
import type { RunTarget } from "../execution/requests/run-request.ts";
import { noteHeldRights } from "../execution/rights/lost-rights.ts";
import { buildRightsKeys, identifyIfEnabled } from "../identity/identify.ts";
import { claimWithSlot } from "../jobs/concurrency/concurrency.ts";
import { claimJob, newAttemptFields } from "../jobs/lifecycle/claim.ts";
import { endJob } from "../jobs/lifecycle/end/end-job.ts";
import { prepareJob } from "../jobs/queue/enqueue.ts";
import type { TransactionPart } from "../outbox/commit-parts.ts";
import type { Uses } from "../uses.ts";
import { advanceSchedule, buildErrorPart, cancelTick, type LoadedSchedule, loadSchedule, turnOff } from "./change-run.ts";
import { isSkipped } from "./dynamic-skip.ts";
import { buildNextRun, buildRun, parseTarget, type ScheduledTarget, sendRun, toClock, toTargetKey } from "./next-run.ts";

export type ClaimRunDeps = Uses<
  | "followUps"
  | "executors"
  | "onJobEnded"
  | "jobs"
  | "objects"
  | "storage"
  | "concurrency"
  | "schedules"
  | "queue"
  | "nowMs"
  | "pause"
  | "maxRetryMs"
  | "worker"
>;

/** The maximum number of attempts of a claim while other writers interfere. Housekeeping sends the message again. */
const TRIES = 8;

/**
 * Makes the first claim of a schedule's run, and creates the next run of the schedule in the same transaction. Returns `undefined` if the run
 * does not start now: it is not queued, it waits for a slot, or it is skipped. A schedule whose runs cannot start is turned off, and its `error`
 * contains the reason.
 */
export async function claimScheduledRun(deps: ClaimRunDeps, { job: id }: JobMessage): Promise<RunningJob | undefined> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const job = await deps.jobs.get(id);
    if (job?.state !== "queued") return undefined;
    // It has started before.
    if (job.claimer === undefined) return job.concurrency ? claimWithSlot(deps, id, job.concurrency.group) : claimJob(deps, id);
    const loaded = await loadSchedule(deps, job.workspace, job.schedulePath ?? "");
    if (loaded?.nextRun.next?.job !== id) {
      await cancelTick(deps, job, "the schedule has changed");
      return undefined;
    }
    const outcome = await startTick(deps, job, loaded);
    if (outcome !== "again") return outcome;
  }
  return undefined;
}

type Outcome = RunningJob | undefined | "again";

async function startTick(deps: ClaimRunDeps, job: QueuedJob, loaded: LoadedSchedule): Promise<Outcome> {
  const { jobs, nowMs } = deps;
  const { schedule, nextRun } = loaded;
  const { tickMs = 0, last } = nextRun.next ?? {};
  const checked = await checkRights(deps, job, loaded);
  if ("archived" in checked) {
    await cancelTick(deps, job, "the workspace is archived");
    return undefined;
  }
  if ("error" in checked) {
    if (!(await turnOff(deps, loaded, checked.error))) return "again";
    await cancelTick(deps, job, checked.error);
    return undefined;
  }
  const scheduledMs = job.scheduledForMs ?? tickMs;
  const plan = planTick(toClock(schedule), { tickMs, scheduledMs, nowMs: nowMs(), pausedUntil: schedule.settings.paused_until });
  if (!plan.runs) return skipTick(deps, job, loaded, { afterMs: (plan.nextMs ?? tickMs) - 1, error: plan.error });
  const noOverlap = schedule.isFlow && schedule.settings.no_flow_overlap === true;
  if (noOverlap && last !== undefined) {
    const before = await jobs.get(last);
    // The end of that run continues the schedule.
    if (before && !hasEnded(before)) return waitForEnd(deps, job, loaded, before.id);
  }
  const skips = await isSkipped(deps, loaded, { run: job, tickMs, actor: checked.actor });
  if (skips === "undecided") return undefined;
  if (skips) return skipTick(deps, job, loaded, { afterMs: Math.max(nowMs(), tickMs) });
  return startRun(deps, job, loaded, { target: checked.target, nextMs: noOverlap ? undefined : plan.nextMs, waits: noOverlap });
}

/** Checks the current rights of the identity for which the schedule runs, and its script or flow. */
async function checkRights(
  { objects }: ClaimRunDeps,
  { id: jobId }: QueuedJob,
  { workspace, schedule }: LoadedSchedule,
): Promise<{ target: RunTarget; actor: JobActor } | { error: string } | { archived: true }> {
  const { email, permissionedAs, superAdmin, isFlow, scriptPath } = schedule;
  const keys = buildRightsKeys(personKey(email), workspace);
  const found = await objects.batchGet([...keys, toTargetKey(workspace, schedule)], { consistent: true });
  const identity = identifyIfEnabled({ email, superAdmin, workspace }, found);
  if (!identity) return { error: `The user ${permissionedAs}, for whom the schedule runs, is disabled or does not exist.` };
  if (identity.workspaceState) return { archived: true };
  const target = parseTarget(schedule, found[keys.length]);
  if (!target) return { error: `There is no ${isFlow ? "flow" : "script"} at ${scriptPath}.` };
  const actor = { ...identity, kind: "job" as const, jobId, attempt: 0, workspace, permissionedAs };
  const { access } = isFlow ? actions.runFlow : actions.runScript;
  if (!may(actor, access, { workspace, path: scriptPath })) return { error: `${permissionedAs} may not run ${scriptPath}.` };
  return { target, actor };
}

/** Replaces this run of the schedule by another one. The tick's job ends after that, so a repeated message finds it replaced. */
async function skipTick(
  deps: ClaimRunDeps,
  job: QueuedJob,
  loaded: LoadedSchedule,
  { afterMs, error }: { afterMs: number; error?: string },
): Promise<Outcome> {
  const parts = error === undefined ? [] : [buildErrorPart(deps, loaded, { error })];
  if (!(await advanceSchedule(deps, loaded, afterMs, parts))) return "again";
  return endSkipped(deps, job);
}

async function endSkipped(deps: ClaimRunDeps, job: QueuedJob): Promise<undefined> {
  await endJob(deps, job, { state: "skipped", resultJson: JSON.stringify("skipped by the schedule") });
  return undefined;
}

async function waitForEnd(deps: ClaimRunDeps, job: QueuedJob, { nextRun }: LoadedSchedule, running: string): Promise<Outcome> {
  const { next } = nextRun;
  if (!next) return undefined;
  const waits = deps.schedules.replaceParams(nextRun, { ...next, job: running });
  const marked = deps.jobs.updateParams(running, { endContinuesSchedule: true }, { attr: "endedAtMs", exists: false });
  if ((await deps.objects.transactWrite([{ raw: waits }, { raw: marked }])) !== undefined) return "again";
  return endSkipped(deps, job);
}

interface Start {
  target: RunTarget;
  nextMs: number | undefined;
  /** The schedule continues when this run ends. */
  waits: boolean;
}

/** Starts the run as the current version defines it, together with the next run of the schedule. */
async function startRun(deps: ClaimRunDeps, job: QueuedJob, loaded: LoadedSchedule, { target, nextMs, waits }: Start): Promise<Outcome> {
  const { jobs, objects, schedules, nowMs, worker } = deps;
  const { workspace, schedule, nextRun } = loaded;
  const { next } = nextRun;
  if (!next) return undefined;
  const refreshed = await refreshRun(deps, job, { workspace, schedule, target }, next.tickMs);
  // The only step of a retried script takes the slot itself.
  const concurrency =
    job.kind !== "singlestepflow" &&
    target.version.concurrency &&
    resolveConcurrency(target.version.concurrency, workspace, schedule.scriptPath, schedule.args);
  const attempt = concurrency ? { concurrency } : { ...newAttemptFields(nowMs(), worker), attempt: 1 };
  const changes = { ...refreshed, ...attempt, ...(waits ? { endContinuesSchedule: true as const } : {}) };
  const change = {
    ...Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, value ?? jobs.removed])),
    claimer: jobs.removed,
  };
  const claimed: TransactionPart = {
    write: { raw: jobs.updateParams(job.id, change as HeadChange, jobs.isUnclaimed) },
    refused: undefined,
  };
  for (let tickMs = nextMs; ; ) {
    const following =
      waits || tickMs === undefined
        ? { parts: [{ write: { raw: schedules.replaceParams(nextRun, { ...next, last: job.id }) } }], jobPart: undefined, job: undefined }
        : await buildNextRun(deps, { workspace, schedule, target }, nextRun, { tickMs, last: job.id, keepCheck: true });
    const refused = await objects.transactWrite([...following.parts, claimed].map((part) => part.write));
    if (refused === undefined) {
      await sendRun(deps, following.job);
      // Only the user of the schedule was checked, not one for whom the script acts.
      const begun = { ...job, ...(changes as Partial<RunningJob>) };
      if (!findDelegation(begun)) noteHeldRights(deps, begun as RunningJob);
      if (concurrency) return claimWithSlot(deps, job.id, concurrency.group);
      const { claimer: _, ...rest } = begun;
      return rest as RunningJob;
    }
    if (refused !== following.jobPart || tickMs === undefined) return "again";
    // The tick already had a job, which was started early.
    tickMs = findTickAfter(toClock(schedule), tickMs, schedule.settings.paused_until);
  }
}

/** Returns the fields that have changed because another version was saved since the job was created. */
async function refreshRun(deps: ClaimRunDeps, job: QueuedJob, run: ScheduledTarget, tickMs: number): Promise<Record<string, unknown>> {
  if (job.hash === undefined || job.hash === run.target.version.hash) return {};
  const runFields = buildRun(run, tickMs);
  // The arguments are stored already. They are part of the key of a cached result.
  const fresh = await prepareJob(deps, { ...runFields, ...(runFields.cacheTtlS ? {} : { args: {} }), retention: job.retention });
  return Object.fromEntries(versionFields.map((name) => [name, (fresh as Record<string, unknown>)[name]]));
}
