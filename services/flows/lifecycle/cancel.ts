import { progressFormat } from "../../../core/flows/journal.ts";
import { childPrefix } from "../../../core/jobs/lists/child-items.ts";
import { type EndedJob, hasEnded, type Job } from "../../../core/jobs/record/job.ts";
import { parseReadable } from "../../../core/records/record-format.ts";
import { reportFailure } from "../../../core/telemetry/telemetry.ts";
import { cancelJob, type JobCanceledListener } from "../../jobs/cancel/cancel-job.ts";
import type { Uses } from "../../uses.ts";
import { listParkedJobs } from "../runtime/waiting/parked-jobs.ts";
import { resumeParentTask } from "../runtime/waiting/resume-parent-task.ts";

export type StopFlowDeps = Uses<
  "followUps" | "jobs" | "storage" | "concurrency" | "queue" | "executions" | "nowMs" | "pause" | "maxRetryMs"
>;

/** Creates a listener that stops the flows of canceled jobs. */
export const flowCancellation =
  (deps: StopFlowDeps): JobCanceledListener =>
  (job, canceled) =>
    stopFlow(deps, job, canceled);

/**
 * Stops everything that runs for a flow's job after its record has ended: its execution, nested flows and steps that wait for a slot. The
 * parent's task is resumed. Returns false if any of this failed: housekeeping repeats it.
 */
export async function stopFlow(deps: StopFlowDeps, job: Job, { by, reason }: { by: string; reason: string }): Promise<boolean> {
  const { executions, jobs } = deps;
  const { id, flow } = job;
  if (!flow) return true;
  let isStopped = true;
  const report = (sentence: string, about: string) => (error: unknown) => {
    isStopped = false;
    reportFailure(`${sentence}; housekeeping repeats it`, error, { job: about });
  };
  await resumeParentTask(deps, job).catch(report("The parent task of a canceled flow could not be resumed", id));
  const { stateMachine: machine, execution } = flow;
  if (machine)
    await executions
      .stopExecution({ machine, job: id, execution }, reason || "canceled")
      .catch(report("The execution of a canceled flow could not be stopped", id));
  const progress = await jobs.listChildren(id, childPrefix.progress);
  const nested = parseReadable(progress, progressFormat.parse).flatMap(([, { subflowJob, queuedJob }]) => subflowJob ?? queuedJob ?? []);
  const cancelDeps = { ...deps, onJobCanceled: [flowCancellation(deps)] };
  for (const inner of new Set([...nested, ...(await listParkedJobs(deps, job))])) {
    const inside = await jobs.get(inner);
    if (!inside) continue;
    if (!hasEnded(inside)) {
      await cancelJob(cancelDeps, inside, { by, reason }).catch(report("A job inside a canceled flow could not be canceled", inside.id));
    } else if (inside.cancel) {
      // The call that canceled the flow may have died before it stopped everything.
      isStopped = (await stopFlow(deps, inside, inside.cancel)) && isStopped;
    }
  }
  return isStopped;
}

/**
 * Repeats the stop of everything that ran for an ended flow, because the call that ended the flow may have died before. Returns the job without
 * that intent, or unchanged if something could not be stopped.
 */
export async function completeStop(deps: StopFlowDeps, job: EndedJob): Promise<EndedJob> {
  if (!job.stopping || !(await stopFlow(deps, job, job.stopping))) return job;
  const stopped = await deps.jobs.update(job.id, { stopping: deps.jobs.removed }, { attr: "state", eq: job.state });
  return stopped && hasEnded(stopped) ? stopped : job;
}
