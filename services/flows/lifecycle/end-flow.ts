import { defined } from "../../../contract/defined.ts";
import type { EndState, RunningJob } from "../../../core/jobs/record/job.ts";
import { canceledEnding, type Ending, failedEnding, flowTimedOutEnding } from "../../../core/jobs/record/lifecycle.ts";
import type { ValueRef } from "../../../core/jobs/record/value-ref.ts";
import { UnreadableRecordError } from "../../../core/records/record-format.ts";
import { releaseSlot } from "../../jobs/concurrency/concurrency.ts";
import { endJob, endJobWithValue } from "../../jobs/lifecycle/end/end-job.ts";
import { buildStopping } from "../../jobs/lifecycle/stopping.ts";
import type { Uses } from "../../uses.ts";
import { resumeParentTask } from "../runtime/waiting/resume-parent-task.ts";
import { stopFlow } from "./cancel.ts";

/** The dependencies of ending a flow or starting its next execution. */
export type EndFlowDeps = Uses<
  "followUps" | "jobs" | "storage" | "concurrency" | "queue" | "executions" | "functions" | "nowMs" | "pause" | "maxRetryMs"
>;

interface Cancellation {
  by: string;
  reason: string;
}

/** The end of a flow's job. `value` refers to the stored result of a step, of which the job gets a copy. */
type FlowEnding = Ending | { state: EndState; value: ValueRef };

/** The end of a flow without the result of a step. */
interface StoppedEnd {
  ending: Ending;
  /** The cancellation to record in its job. */
  cancel?: Cancellation;
  /** The reason for stopping everything that runs in the flow. If absent, nothing runs in it. */
  stopping?: Cancellation;
}

/** The end of a flow. Only one that ends without the result of a step records a cancellation or stops what runs in it. */
export type FlowEnd = StoppedEnd | { ending: FlowEnding; cancel?: never; stopping?: never };

/**
 * Ends a flow: its job, everything that runs in it, the task of its parent and its concurrency slot. Does nothing if another call has ended the
 * flow.
 */
export async function endFlow(deps: EndFlowDeps, flow: RunningJob, { ending, cancel, stopping }: FlowEnd): Promise<void> {
  const job = cancel ? { ...flow, cancel } : flow;
  const extra = { ...defined({ cancel }), ...(stopping ? buildStopping(flow, stopping) : {}) };
  const ended = "value" in ending ? await endJobWithValue(deps, job, ending.state, ending.value) : await endJob(deps, job, ending, extra);
  if (!ended) return;
  // Stopping a flow resumes the task of its parent too.
  if (stopping) await stopFlow(deps, flow, stopping);
  else await resumeParentTask(deps, flow);
  await releaseSlot(deps, ended);
}

/** Ends a flow that cannot continue because of an unreadable record or a job that it did not create, with that error. */
export async function failBrokenFlow(deps: EndFlowDeps, id: string, error: Error): Promise<void> {
  const name = error instanceof UnreadableRecordError ? "UnreadableRecord" : error.name;
  const { message } = error;
  const flow = await deps.jobs.get(id);
  if (flow?.state !== "running") return;
  await endFlow(deps, flow, { ending: failedEnding({ name, message }) });
}

/** The end of a flow that has exceeded its time limit, with everything that runs in it. A running script stops at its next heartbeat. */
export const timedOutEnd = (flow: RunningJob): FlowEnd => ({
  ending: flowTimedOutEnding(flow),
  stopping: { by: "svc", reason: "the flow that contains this step exceeded its time limit" },
});

/** The end of a flow whose plan was deleted with its flow, with everything that runs in it. */
export const deletedEnd: FlowEnd = {
  ending: failedEnding({ name: "FlowDeleted", message: "The flow was deleted while it ran." }),
  stopping: { by: "svc", reason: "the flow that contains this step was deleted" },
};

/** The end of a flow whose starter, or the user for whom it acts, has lost a right, with everything that runs in it. */
export const lostRightEnd = (ending: Ending): FlowEnd => ({
  ending,
  stopping: { by: "svc", reason: "the flow that contains this step lost a right" },
});

/** The end of a flow that was canceled, with everything that runs in it. */
export const canceledEnd = (cancel: Cancellation): FlowEnd => ({ ending: canceledEnding(cancel), cancel, stopping: cancel });
