import { limits } from "../../../contract/limits.ts";
import { ROOT, runsAlone } from "../../../core/flows/scopes.ts";
import type { ModuleCall, StepCall, StepState } from "../../../core/flows/step-call.ts";
import { flowDueMs } from "../../../core/jobs/record/lifecycle.ts";
import { UnreadableRecordError } from "../../../core/records/record-format.ts";
import { reportFailure } from "../../../core/telemetry/telemetry.ts";
import type { Uses } from "../../uses.ts";
import { canceledEnd, endFlow, failBrokenFlow } from "../lifecycle/end-flow.ts";
import { runLastState } from "../lifecycle/settle-flow.ts";
import { executeModule } from "./execute-module.ts";
import { loadStepContext } from "./load-step-context.ts";
import { registerTaskToken } from "./modules/subflow.ts";
import { runSegment } from "./segments/run-segment.ts";
import type { StepContext } from "./step-context.ts";
import { ForeignStepJob, StepJobCanceled } from "./step-jobs/own-job.ts";
import { resumeTask, toWaitingTask } from "./waiting/resume-parent-task.ts";

export type RunTaskDeps = Uses<
  | "followUps"
  | "executors"
  | "onJobEnded"
  | "gatedFlows"
  | "jobs"
  | "objects"
  | "storage"
  | "concurrency"
  | "queue"
  | "executions"
  | "functions"
  | "dataKeys"
  | "nowMs"
  | "pause"
  | "maxRetryMs"
  | "worker"
>;

/**
 * Runs one state of a flow's machine. Completed work is found in the journal and returned at once, so that a lost call, a restarted engine, a
 * loop in a new execution and a redrive need no further code. Throws `StepFailed` if the machine has no Choice state after the task.
 */
export async function runTask(deps: RunTaskDeps, call: StepCall): Promise<StepState> {
  try {
    return await dispatchTask(deps, call);
  } catch (error) {
    if (error instanceof UnreadableRecordError || error instanceof ForeignStepJob) await failBrokenFlow(deps, call.state.job, error);
    if (error instanceof StepJobCanceled) await cancelRunningFlow(deps, call.state.job, error.cancel);
    throw error;
  }
}

async function cancelRunningFlow(deps: RunTaskDeps, id: string, cancel: { by: string; reason: string }): Promise<void> {
  const flow = await deps.jobs.get(id);
  if (flow?.state === "running") await endFlow(deps, flow, canceledEnd(cancel));
}

async function dispatchTask(deps: RunTaskDeps, call: StepCall): Promise<StepState> {
  if ("finish" in call) return runLastState(deps, call.state);
  if ("segment" in call) return runSegment(deps, call);
  if (call.token !== undefined) return registerToken(deps, call, call.token);
  const { step, items } = await loadStepContext(deps, call);
  const state = await executeModule(deps, step, items);
  if (state.outcome === "next" && isLastOfFlow(step)) await finishEarly(deps, state);
  if (state.seconds !== undefined) await recordSleep(deps, step, state.seconds);
  return state;
}

/**
 * Records that the machine waits for this long and nothing else runs, so that housekeeping does not check it every few minutes. If it cannot be
 * recorded, housekeeping checks it.
 */
async function recordSleep({ jobs, nowMs }: RunTaskDeps, { flow, scope }: StepContext, seconds: number): Promise<void> {
  if (seconds * 1000 <= limits.flowCheckMs || !runsAlone(scope)) return;
  const now = nowMs();
  const sleepsUntilMs = now + seconds * 1000;
  const current = [{ attr: "state", eq: "running" } as const, { attr: "flow.execution", eq: flow.flow?.execution ?? 0 } as const];
  await jobs
    .update(flow.id, { sleepsUntilMs, dueAtMs: flowDueMs({ ...flow, sleepsUntilMs }, now) }, { and: current })
    .catch((error: unknown) => reportFailure("The sleep of a flow could not be recorded", error, { job: flow.id }));
}

const isLastOfFlow = ({ module, scope }: StepContext) => scope.name === ROOT && scope.modules.at(-1)?.id === module.id;

/** Ends the flow with its last step, so that callers do not wait for the machine's last state. That state repeats the work if it fails here. */
async function finishEarly(deps: RunTaskDeps, state: StepState): Promise<void> {
  await runLastState(deps, state).catch((error: unknown) =>
    reportFailure("The flow could not be ended before its last state, which ends it", error, { job: state.job }),
  );
}

/** If the token cannot be stored, the task is resumed at once, because some engines ignore the error of a function that received a token. */
async function registerToken(deps: RunTaskDeps, call: ModuleCall, token: string): Promise<StepState> {
  try {
    const { step } = await loadStepContext(deps, call);
    return await registerTaskToken(deps, step, token);
  } catch (error) {
    await resumeTask(deps, toWaitingTask(token, call.state));
    throw error;
  }
}
