import type { Executions } from "../../../aws/stepfunctions/executions.ts";
import { progressFormat } from "../../../core/flows/journal.ts";
import { childPrefix } from "../../../core/jobs/child-items.ts";
import { hasEnded, type Job } from "../../../core/jobs/job.ts";
import { parseReadable } from "../../../core/records/record-format.ts";
import { reportFailure } from "../../../core/telemetry/telemetry.ts";
import { type CancelJobDeps, cancelJob, type JobCanceledListener } from "../../jobs/cancel/cancel-job.ts";
import { listParkedJobs } from "../runtime/waiting/parked-jobs.ts";
import { resumeParentTask } from "../runtime/waiting/resume-parent-task.ts";

export type StopFlowDeps = Omit<CancelJobDeps, "onJobCanceled"> & { executions: Pick<Executions, "stopExecution" | "sendTaskSuccess"> };

/** Creates a listener that stops the flows which canceled jobs run. */
export const flowCancellation =
  (deps: StopFlowDeps): JobCanceledListener =>
  (job, canceled) =>
    stopFlow(deps, job, canceled);

/**
 * Stops what runs for a flow's job after its record has ended: its execution, the flows inside and the steps that wait for a slot.
 * The parent's task is resumed. If any of that fails, the parts find the record ended by themselves.
 */
export async function stopFlow(deps: StopFlowDeps, job: Job, { by, reason }: { by: string; reason: string }): Promise<void> {
  const { executions, jobs } = deps;
  const { id, flow } = job;
  if (!flow) return;
  await resumeParentTask(deps, job).catch((error: unknown) =>
    reportFailure("The parent task of a canceled flow could not be resumed; reconciliation repeats it", error, { job: id }),
  );
  const { stateMachine: machine, execution } = flow;
  if (machine)
    await executions
      .stopExecution({ machine, job: id, execution }, reason || "canceled")
      .catch((error: unknown) =>
        reportFailure("The execution of a canceled flow could not be stopped; its next task ends it", error, { job: id }),
      );
  const progress = await jobs.listChildren(id, childPrefix.progress);
  const nested = parseReadable(progress, progressFormat.parse).flatMap(([, { subflowJob }]) => subflowJob ?? []);
  const cancelDeps = { ...deps, onJobCanceled: [flowCancellation(deps)] };
  for (const inner of [...nested, ...(await listParkedJobs(deps, job))]) {
    const inside = await jobs.get(inner);
    if (!inside) continue;
    if (!hasEnded(inside)) {
      await cancelJob(cancelDeps, inside, { by, reason }).catch((error: unknown) =>
        reportFailure("A job inside a canceled flow could not be canceled; it ends with its flow", error, { job: inside.id }),
      );
    } else if (inside.cancel) {
      // The call that canceled it may have died before it stopped the rest of it.
      await stopFlow(deps, inside, inside.cancel);
    }
  }
}
