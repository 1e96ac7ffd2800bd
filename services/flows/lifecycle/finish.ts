import type { Executions } from "../../../aws/stepfunctions/executions.ts";
import { limits } from "../../../contract/limits.ts";
import { endRef, FAILURE, outcomeRef, PREPROCESSOR } from "../../../core/flows/journal.ts";
import { ROOT } from "../../../core/flows/scopes.ts";
import type { StepState } from "../../../core/flows/step-call.ts";
import { childPrefix } from "../../../core/jobs/child-items.ts";
import type { EndState, RunningJob } from "../../../core/jobs/job.ts";
import { canceledEnding, type Ending, failedEnding, flowDeadlineMs, flowTimedOutEnding } from "../../../core/jobs/lifecycle.ts";
import type { ValueRef } from "../../../core/jobs/value-ref.ts";
import { UnreadableRecordError } from "../../../core/records/record-format.ts";
import { reportFailure } from "../../../core/telemetry/telemetry.ts";
import { storeCacheEntry } from "../../jobs/cache/cache.ts";
import { type ConcurrencyDeps, releaseSlot } from "../../jobs/concurrency/concurrency.ts";
import { endJob, endJobWithValue, type FinishJobDeps } from "../../jobs/lifecycle/finish.ts";
import { buildStopping } from "../../jobs/lifecycle/stopping.ts";
import { findPlan, type LoadedPlan } from "../definitions/load.ts";
import { recoversList } from "../runtime/flow-values.ts";
import { findEnd, findOutcome, readJournal } from "../runtime/journal.ts";
import { getParkedState } from "../runtime/waiting/parked-jobs.ts";
import { resumeParentTask } from "../runtime/waiting/resume-parent-task.ts";
import { stopFlow } from "./cancel.ts";
import { type StartExecutionDeps, startExecution } from "./start-execution.ts";

/** The dependencies of ending a flow or starting its next execution. */
export type FinishFlowDeps = FinishJobDeps &
  ConcurrencyDeps &
  StartExecutionDeps & { executions: Pick<Executions, "startExecution" | "stopExecution" | "getExecutionStatus" | "sendTaskSuccess"> };

/** Consecutive executions that may end without a newly finished step. */
const MAX_STALLS = 3;

/** The cause of the loss of an execution. */
export interface LostExecution {
  /** The engine stopped. Such a loss is not counted against the flow. */
  engineStopped?: boolean;
}

/** Returns the end of a flow from its journal, or `undefined` if its execution was lost. */
type Verdict = { state: EndState; result: ValueRef } | undefined;

/** Makes the execution fail in the console too, when the flow has failed. */
export class FlowFailed extends Error {
  override readonly name = "FlowFailed";
}

/** The failure of a flow whose execution another release started. */
const OUTDATED = failedEnding({
  name: "FlowOutdated",
  message: "An earlier release of svc started this run, and its execution cannot continue. Restart the run.",
});

/**
 * Runs the last state of a flow's machine: ends the flow's job, or starts the next execution. A repeated call changes nothing. Throws
 * `FlowFailed`.
 */
export async function finishFlow(deps: FinishFlowDeps, state: StepState): Promise<StepState> {
  const flow = await deps.jobs.get(state.job);
  // The job has ended, or a later execution is the current one.
  if (flow?.state !== "running" || flow.flow?.execution !== state.execution) return state;
  if (state.outcome === "again") await startNextExecution(deps, flow, { stalls: flow.flow.stalls ?? 0 });
  else await settleFlow(deps, flow);
  return state;
}

/** Ends a flow's job according to its journal, or starts the next execution. Throws `FlowFailed` after it has recorded a failure. */
export async function settleFlow(deps: FinishFlowDeps, flow: RunningJob, lost: LostExecution = {}): Promise<void> {
  if (flow.cancel) return endFlow(deps, flow, endJob(deps, flow, canceledEnding(flow.cancel)));
  if (flow.flow?.outdated) return endFlow(deps, flow, endJob(deps, flow, OUTDATED));
  if (isPastDeadline(deps, flow)) {
    await endTimedOutFlow(deps, flow);
    throw new FlowFailed(`Flow ${flow.id} exceeded its time limit.`);
  }
  const plan = await findPlan(deps, flow.flow?.plan ?? "");
  if (!plan) return endDeletedFlow(deps, flow);
  const verdict = await findVerdict(deps, flow, plan);
  if (verdict) {
    // Equal runs may use the cached result from now on. If the entry cannot be written, they run.
    if (verdict.state === "succeeded")
      await storeCacheEntry(deps, flow, deps.nowMs()).catch((error: unknown) =>
        reportFailure("The result could not be cached", error, { job: flow.id }),
      );
    await endFlow(deps, flow, endJobWithValue(deps, flow, verdict.state, verdict.result));
    if (verdict.state === "failed" || verdict.state === "canceled")
      throw new FlowFailed(`Flow ${flow.id} failed. Its job contains the error.`);
    return;
  }
  await continueFlow(deps, flow, lost);
}

/** Starts the next execution of a flow that has not ended, unless it waits for concurrency slots, or too many executions brought no progress. */
async function continueFlow(deps: FinishFlowDeps, flow: RunningJob, { engineStopped = false }: LostExecution): Promise<void> {
  const parked = await getParkedState(deps, flow);
  if (parked === "over") return startNextExecution(deps, flow, { stalls: 0 });
  if (parked === "waits") {
    // The end of the job that it waits for starts the next execution. If that is lost, housekeeping does.
    const dueAtMs = Math.min(deps.nowMs() + limits.flowParkedCheckMs, flowDeadlineMs(flow));
    await deps.jobs.update(flow.id, { dueAtMs }, { attr: "state", eq: "running" });
    return;
  }
  const stalls = flow.flow?.stalls ?? 0;
  const steps = (await deps.jobs.listChildren(flow.id, childPrefix.outcome)).length;
  if (steps > (flow.flow?.steps ?? 0)) return startNextExecution(deps, flow, { stalls: 0, steps });
  if (engineStopped) return startNextExecution(deps, flow, { stalls, steps });
  if (stalls + 1 < MAX_STALLS) return startNextExecution(deps, flow, { stalls: stalls + 1, steps });
  const message = `The flow's execution was lost ${MAX_STALLS} times without completing another step. The flow is not retried.`;
  await endFlow(deps, flow, endJob(deps, flow, failedEnding({ name: "FlowLost", message })));
}

/** Starts the next execution of a flow, unless the flow has ended or another call has already started it. */
export async function startNextExecution(
  deps: FinishFlowDeps,
  { id, flow }: RunningJob,
  { stalls, steps = flow?.steps ?? 0 }: { stalls: number; steps?: number },
): Promise<void> {
  if (!flow) return;
  const changed = await deps.jobs.update(
    id,
    { flow: { ...flow, execution: flow.execution + 1, stalls, steps } },
    {
      and: [
        { attr: "state", eq: "running" },
        { attr: "flow.execution", eq: flow.execution },
      ],
    },
  );
  if (changed) await startExecution(deps, changed);
}

/**
 * Completes the end of a flow: resumes the parent's task and releases the concurrency slot. Does nothing if another call has ended the
 * flow.
 */
export async function endFlow(deps: FinishFlowDeps, flow: RunningJob, ending: Promise<unknown>): Promise<void> {
  if (!(await ending)) return;
  await resumeParentTask(deps, flow);
  await releaseSlot(deps, flow);
}

/** Ends the one flow that cannot continue because of an unreadable record or a job that it did not create, with that error. */
export async function failBrokenFlow(deps: FinishFlowDeps, id: string, error: Error): Promise<void> {
  const name = error instanceof UnreadableRecordError ? "UnreadableRecord" : error.name;
  const { message } = error;
  const flow = await deps.jobs.get(id);
  if (flow?.state !== "running") return;
  await endFlow(deps, flow, endJob(deps, flow, failedEnding({ name, message })));
}

/** Returns whether a flow has exceeded its time limit. After that, none of its steps begins. */
export const isPastDeadline = ({ nowMs }: Pick<FinishFlowDeps, "nowMs">, flow: RunningJob): boolean => flowDeadlineMs(flow) <= nowMs();

/** Ends a flow that has exceeded its time limit, with all that runs in it. A running script stops at its next heartbeat. */
export async function endTimedOutFlow(deps: FinishFlowDeps, flow: RunningJob): Promise<void> {
  const cancel = { by: "svc", reason: "the flow that contains this step exceeded its time limit" };
  await endAndStop(deps, flow, flowTimedOutEnding(flow), cancel);
}

/** Ends a flow whose plan was deleted with its flow, with all that runs in it. */
export async function endDeletedFlow(deps: FinishFlowDeps, flow: RunningJob): Promise<void> {
  const ending = failedEnding({ name: "FlowDeleted", message: "The flow was deleted while it ran." });
  await endAndStop(deps, flow, ending, { by: "svc", reason: "the flow that contains this step was deleted" });
}

/** Ends a flow whose starter, or the user for whom it acts, has lost a right, with all that runs in it. */
export async function endLostFlow(deps: FinishFlowDeps, flow: RunningJob, ending: Ending): Promise<void> {
  await endAndStop(deps, flow, ending, { by: "svc", reason: "the flow that contains this step lost a right" });
}

async function endAndStop(deps: FinishFlowDeps, flow: RunningJob, ending: Ending, cancel: { by: string; reason: string }): Promise<void> {
  const ended = await endJob(deps, flow, ending, { extra: buildStopping(flow, cancel) });
  if (!ended) return;
  await stopFlow(deps, flow, cancel);
  await releaseSlot(deps, ended);
}

/** Ends a running flow as canceled, with all that runs in it. */
export async function cancelFlow(deps: FinishFlowDeps, flow: RunningJob, cancel: { by: string; reason: string }): Promise<void> {
  const extra = { cancel, ...buildStopping(flow, cancel) };
  const ended = await endJob(deps, { ...flow, cancel }, canceledEnding(cancel), { extra });
  if (!ended) return;
  await stopFlow(deps, flow, cancel);
  await releaseSlot(deps, ended);
}

async function findVerdict(deps: FinishFlowDeps, flow: RunningJob, { value }: LoadedPlan): Promise<Verdict> {
  const last = value.modules.at(-1)?.id ?? "";
  const items = await readJournal(deps, flow, [
    endRef(ROOT, ""),
    outcomeRef(last, ROOT, ""),
    ...(value.failure_module ? [outcomeRef(FAILURE, ROOT, "")] : []),
  ]);
  const end = findEnd(items, ROOT, "");
  if (end?.reason === "stopped") return { state: end.skip ? "skipped" : "succeeded", result: end.result };
  if (end?.reason === "failed") {
    const handled = findOutcome(items, FAILURE, ROOT, "");
    // The failure module handles the failures of the flow's own list, to which the preprocessor does not belong.
    if (value.failure_module && !handled && !end.handled && end.module !== PREPROCESSOR) return undefined;
    const state = end.canceled ? "canceled" : "failed";
    if (!handled) return { state, result: end.result };
    return { state: (await recoversList(deps, handled)) ? "succeeded" : state, result: handled.result };
  }
  const outcome = findOutcome(items, last, ROOT, "");
  return outcome?.transition === "next" ? { state: "succeeded", result: outcome.result } : undefined;
}
