import { actions } from "../../contract/access/actions.ts";
import { limits } from "../../contract/limits.ts";
import { hasEnded, type Job, type QueuedJob } from "../../core/jobs/record/job.ts";
import type { JobActor } from "../../core/people/actor.ts";
import { may } from "../../core/permissions/may.ts";
import { toSkipCheckId } from "../../core/schedules/next-run.ts";
import type { StoredSchedule } from "../../core/schedules/schedule.ts";
import { runJob } from "../execution/run-job.ts";
import { createClaimedJob } from "../jobs/lifecycle/claim.ts";
import { buildScriptJobFields, prepareJob, sendJob } from "../jobs/queue/enqueue.ts";
import { loadJson } from "../jobs/values/values.ts";
import type { Uses } from "../uses.ts";
import type { LoadedSchedule } from "./change-run.ts";
import { parseTarget, toRunner, toTargetKey } from "./next-run.ts";

/**
 * Returns whether the script `dynamic_skip` skips a run: if it returns true. A script that fails, does not exist or may not be run does not skip
 * the run. `undecided`: the script is still running, and the message of the run is sent again when it has ended.
 */
export async function isSkipped(
  deps: Uses<
    "followUps" | "executors" | "onJobEnded" | "jobs" | "objects" | "storage" | "queue" | "nowMs" | "pause" | "maxRetryMs" | "worker"
  >,
  { workspace, schedule }: LoadedSchedule,
  { run, tickMs, actor }: { run: QueuedJob; tickMs: number; actor: JobActor },
): Promise<boolean | "undecided"> {
  const { dynamic_skip: path } = schedule.settings;
  if (!path || !may(actor, actions.runScript.access, { workspace, path })) return false;
  const checkJob = await deps.jobs.get(toSkipCheckId(run.id));
  if (checkJob) return hasEnded(checkJob) ? readDecision(deps, checkJob) : "undecided";
  const check = await createCheck(deps, workspace, schedule, { path, run, tickMs });
  if (check === undefined) return false;
  if (check === "exists") return "undecided";
  await runJob(deps, check);
  // Another invocation starts the run, which has the whole time of that invocation.
  await sendJob(deps, { ...run, scheduledForMs: deps.nowMs() });
  return "undecided";
}

async function readDecision(deps: Uses<"jobs" | "storage">, check: Job): Promise<boolean> {
  if (!hasEnded(check) || check.state !== "succeeded") return false;
  return (await loadJson(deps, check, check.result)) === true;
}

async function createCheck(
  deps: Uses<"jobs" | "objects" | "storage" | "queue" | "nowMs" | "worker">,
  workspace: string,
  schedule: StoredSchedule,
  { path, run, tickMs }: { path: string; run: QueuedJob; tickMs: number },
) {
  const { jobs, objects, nowMs, worker } = deps;
  const script = { scriptPath: path, isFlow: false };
  const target = parseTarget(script, await objects.get(toTargetKey(workspace, script)));
  if (target?.kind !== "script") return undefined;
  const { concurrency: _, ...fields } = buildScriptJobFields(target.version);
  const prepared = await prepareJob(deps, {
    actor: toRunner(schedule),
    workspace,
    ...fields,
    timeoutS: Math.min(target.version.timeoutS, limits.defaultTimeoutS),
    cacheTtlS: undefined,
    args: { scheduled_for: new Date(tickMs).toISOString() },
    id: toSkipCheckId(run.id),
    trigger: "schedule",
  });
  const claimed = createClaimedJob(prepared, nowMs(), worker);
  return (await jobs.create(claimed, nowMs() + limits.leaseMs + limits.leaseGraceMs + 1000)) ? claimed : "exists";
}
