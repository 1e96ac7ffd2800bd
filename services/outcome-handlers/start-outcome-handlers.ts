import { isSvcError } from "../../contract/errors.ts";
import { flowVersionObject } from "../../core/flows/version.ts";
import { type EndedJob, hasEnded, hasFlowPath, type Job } from "../../core/jobs/record/job.ts";
import { handlerNameFor, isMuted, mayCallHandler } from "../../core/outcome-handlers/handler.ts";
import { scriptHeadObject, scriptVersionObject } from "../../core/scripts/version.ts";
import { reportFailure } from "../../core/telemetry/telemetry.ts";
import { findHandlerTarget } from "../flows/definitions/find-handler.ts";
import { loadFlow, parseFlow } from "../flows/definitions/load.ts";
import { nextCheckMs } from "../jobs/lifecycle/next-check.ts";
import { loadScriptVersion, parseScript } from "../scripts/load.ts";
import type { Uses } from "../uses.ts";
import { loadWorkspaceHandler } from "../workspaces/handlers.ts";
import { callHandler, HANDLER_IDENTITY } from "./call-handler.ts";
import { loadScheduleOf } from "./find-schedule.ts";
import { loadError, loadSuccess } from "./load-outcome.ts";
import { reportFailures } from "./report-failures.ts";
import { startScheduleHandlers } from "./schedule-handlers.ts";
import { startTriggerHandler } from "./trigger-handler.ts";

/** The maximum number of attempts to remove the mark of a job while other calls change the job. */
const TRIES = 5;

/**
 * Starts the handlers that follow an ended job, each only once even if this is repeated, then removes the mark that its end has set. Does nothing
 * for a job without the mark.
 */
export async function startOutcomeHandlers(deps: Uses<"jobs" | "objects" | "storage" | "queue" | "nowMs">, id: string): Promise<void> {
  const job = await deps.jobs.get(id);
  if (!job || !hasEnded(job) || !job.followUp) return;
  if (mayCallHandler(job)) {
    const schedule = await loadScheduleOf(deps.objects, job);
    if (schedule) await startScheduleHandlers(deps, job, schedule);
    const hasOwn = await startTriggerHandler(deps, job);
    const isScheduleMuted = schedule?.settings.ws_error_handler_muted === true;
    await startWorkspaceHandler(deps, job, { isErrorMuted: hasOwn || isScheduleMuted });
    if (!isScheduleMuted) await reportFailures(deps, job, () => isRunnableMuted(deps, job));
  }
  await removeMark(deps, job);
}

async function startWorkspaceHandler(
  deps: Uses<"jobs" | "objects" | "storage" | "queue" | "nowMs">,
  job: EndedJob,
  { isErrorMuted }: { isErrorMuted: boolean },
): Promise<void> {
  const { id, path, email, workspace } = job;
  const name = handlerNameFor(job.state);
  const handler = await loadWorkspaceHandler(deps.objects, workspace, name);
  if (!handler || isMuted(handler, job, job.state)) return;
  const target = await findHandlerTarget(deps.objects, workspace, handler.path);
  if (!target) return;
  const isError = name === "error_handler";
  if (isError && (isErrorMuted || (await isRunnableMuted(deps, job)))) return;
  const args = {
    ...handler.extra_args,
    path,
    email,
    ...(isError ? { error: await loadError(deps, job) } : { result: await loadSuccess(deps, job) }),
    job_id: id,
    is_flow: hasFlowPath(job),
    workspace_id: workspace,
  };
  await callHandler(deps, job, { name, target, args, identity: HANDLER_IDENTITY });
}

/** Returns whether the version that ran is muted for the workspace's error handler. A version that is gone is not. */
async function isRunnableMuted(deps: Uses<"objects" | "storage">, { workspace, kind, path = "", hash, flow }: Job): Promise<boolean> {
  const { objects } = deps;
  try {
    if (kind === "flow") {
      if (flow?.version === undefined) return false;
      const head = parseFlow(await objects.get(flowVersionObject.key(workspace, flow.version)));
      return head?.errorHandlerMuted ?? (await loadFlow(deps, workspace, flow.version)).sent.ws_error_handler_muted === true;
    }
    // A script with retries runs as the newest version at its path.
    const runnable = parseScript(
      await objects.get(hash === undefined ? scriptHeadObject.key(workspace, path) : scriptVersionObject.key(workspace, hash)),
    );
    if (!runnable) return false;
    return runnable.errorHandlerMuted ?? (await loadScriptVersion(deps, workspace, runnable.hash)).sent.ws_error_handler_muted === true;
  } catch (error) {
    if (isSvcError(error) && (error.code === "flow.versionNotFound" || error.code === "script.versionNotFound")) return false;
    throw error;
  }
}

/** Removes the mark, unless another call changes when the job is erased: the time of the next check must not be lost. */
async function removeMark({ jobs, nowMs }: Uses<"jobs" | "nowMs">, job: EndedJob): Promise<void> {
  let current = job;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const { followUp: _, eraseAtMs, ...rest } = current;
    const now = nowMs();
    const erasesAtMs = current.erased ? now : (eraseAtMs ?? (current.erasesSteps === undefined ? Number.POSITIVE_INFINITY : now));
    const checkAtMs = Math.min(erasesAtMs, nextCheckMs(rest, now));
    const unchanged = {
      and: [
        { attr: "followUp", eq: true } as const,
        eraseAtMs === undefined ? ({ attr: "eraseAtMs", exists: false } as const) : ({ attr: "eraseAtMs", eq: eraseAtMs } as const),
        current.erased ? ({ attr: "erased", eq: true } as const) : ({ attr: "erased", exists: false } as const),
      ],
    };
    const due = Number.isFinite(checkAtMs) ? jobs.dueAt(job.id, checkAtMs) : jobs.noLongerDue(job, job.state);
    if (await jobs.update(job.id, { followUp: jobs.removed, outcomeCount: jobs.removed, ...due }, unchanged)) return;
    const next = await jobs.get(job.id);
    if (!next || !hasEnded(next) || !next.followUp) return;
    current = next;
  }
  reportFailure("The mark of a job that called its handlers could not be removed; housekeeping repeats it", new Error("conflict"), {
    job: job.id,
  });
}
