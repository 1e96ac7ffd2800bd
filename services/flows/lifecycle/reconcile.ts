import { limits } from "../../../contract/limits.ts";
import { hasEnded, type Job, type RunningJob } from "../../../core/jobs/record/job.ts";
import { canceledEnding, flowDeadlineMs, flowDueMs } from "../../../core/jobs/record/lifecycle.ts";
import { UnreadableRecordError } from "../../../core/records/record-format.ts";
import { reconcileGates } from "../../approvals/gates/reconcile-gates.ts";
import { cancelOfParent } from "../../jobs/cancel/cancel-of-parent.ts";
import type { Uses } from "../../uses.ts";
import { findParkedFlow } from "../runtime/waiting/parked-jobs.ts";
import { reconcileSubflows } from "../runtime/waiting/reconcile-subflows.ts";
import { resumeParentTask } from "../runtime/waiting/resume-parent-task.ts";
import { canceledEnd, deletedEnd, type EndFlowDeps, endFlow, failBrokenFlow, timedOutEnd } from "./end-flow.ts";
import { FlowFailed, isPastDeadline, type LostExecution, settleFlow, startNextExecution } from "./settle-flow.ts";
import { startExecution } from "./start-execution.ts";

type ReconcileDeps = Uses<
  | "followUps"
  | "gatedFlows"
  | "jobs"
  | "objects"
  | "storage"
  | "concurrency"
  | "queue"
  | "executions"
  | "functions"
  | "nowMs"
  | "pause"
  | "maxRetryMs"
>;

/**
 * Updates a flow's job after its execution has ended, or may have ended. `stopped` means that a person stopped the execution in the
 * console. A repeated call changes nothing.
 */
export async function reconcileExecution(
  deps: EndFlowDeps,
  { job: id, execution }: { job: string; execution: number },
  { stopped = false, ...lost }: LostExecution & { stopped?: boolean } = {},
): Promise<void> {
  const flow = await deps.jobs.get(id);
  // The function that ended the job may have died before it resumed the parent.
  if (flow && hasEnded(flow)) await resumeParentTask(deps, flow);
  if (flow?.state !== "running" || flow.flow?.execution !== execution) return;
  if (stopped) {
    const { reason } = await deps.executions.getExecutionStatus({ machine: flow.flow.stateMachine ?? "", job: id, execution });
    const cancel = { by: "the Step Functions console", reason };
    return endFlow(deps, flow, { ending: canceledEnding(cancel), cancel });
  }
  try {
    await settleFlow(deps, flow, lost);
  } catch (error) {
    if (error instanceof UnreadableRecordError) await failBrokenFlow(deps, id, error);
    else if (!(error instanceof FlowFailed)) throw error;
  }
}

/** Continues the flow whose execution ended because this job waited for a concurrency slot. */
export async function continueParkedFlow(deps: EndFlowDeps, ended: Job): Promise<void> {
  if (!ended.concurrency) return;
  const flow = await findParkedFlow(deps, ended);
  if (flow) await startNextExecution(deps, flow, { stalls: 0 });
}

/**
 * Checks the current execution of a running flow, because events about executions may be lost, and continues the flow if the execution does
 * not.
 * A flow with a record that cannot be read fails.
 */
export async function reconcileFlow(deps: ReconcileDeps, flow: RunningJob, lost: LostExecution = {}): Promise<"waited" | "ended"> {
  try {
    return await reconcileCurrentExecution(deps, flow, lost);
  } catch (error) {
    if (!(error instanceof UnreadableRecordError)) throw error;
    await failBrokenFlow(deps, flow.id, error);
    return "ended";
  }
}

async function reconcileCurrentExecution(deps: ReconcileDeps, flow: RunningJob, lost: LostExecution): Promise<"waited" | "ended"> {
  const { executions, jobs, nowMs } = deps;
  if (isPastDeadline(deps, flow)) {
    await endFlow(deps, flow, timedOutEnd(flow));
    return "ended";
  }
  // The function that ended the enclosing flow may have died before it ended this one.
  const cancel = await cancelOfParent(deps, flow);
  if (cancel) {
    await endFlow(deps, flow, canceledEnd(cancel));
    return "ended";
  }
  const { execution = 0, stateMachine: machine } = flow.flow ?? {};
  const { nextMs, lost: lostGate, waitsAlone, isChanged, isDeleted } = await reconcileGates(deps, flow);
  if (isDeleted) {
    await endFlow(deps, flow, deletedEnd);
    return "ended";
  }
  if (waitsAlone && isChanged && !lost.engineStopped) {
    // The check was for the gate. The execution is known to wait, so it is not described.
    await jobs.update(flow.id, { dueAtMs: Math.min(flowDueMs(flow, nowMs(), { waitsAlone }), nextMs) }, { attr: "state", eq: "running" });
    return "waited";
  }
  const { is } = machine === undefined ? { is: "none" } : await executions.getExecutionStatus({ machine, job: flow.id, execution });
  if (is === "none") await startExecution(deps, flow);
  const isOver = is === "ended" || is === "stopped";
  const subflows = is === "running" && !lostGate ? await reconcileSubflows(deps, flow) : { lost: lostGate };
  if (is === "running" && machine !== undefined && subflows.lost) {
    // The token is lost, so nothing can resume this execution; another one is started.
    await startNextExecution(deps, flow, { stalls: 0 });
    await executions.stopExecution({ machine, job: flow.id, execution }, "the token of a waiting task was lost");
    await jobs.update(flow.id, { dueAtMs: flowDueMs(flow, nowMs()) }, { attr: "state", eq: "running" });
    return "waited";
  }
  if (isOver) await reconcileExecution(deps, { job: flow.id, execution }, { ...lost, stopped: is === "stopped" });
  const dueAtMs = Math.min(Math.max(flowDueMs(flow, nowMs(), { waitsAlone }), nextCheckOfSubflow(flow, subflows, nowMs())), nextMs);
  if (!isOver) await jobs.update(flow.id, { dueAtMs }, { attr: "state", eq: "running" });
  return isOver ? "ended" : "waited";
}

/**
 * The interval of checks of a flow that waits for a nested flow equals the time that it has waited: short at first, and long if the nested flow
 * takes days.
 */
function nextCheckOfSubflow(flow: RunningJob, { sinceMs }: { sinceMs?: number }, now: number): number {
  if (sinceMs === undefined) return 0;
  return Math.min(now + Math.min(now - sinceMs, limits.flowBranchWaitCheckMs), flowDeadlineMs(flow));
}
