import { limits } from "../../../contract/limits.ts";
import { endRef, FAILURE, outcomeRef, PREPROCESSOR } from "../../../core/flows/journal.ts";
import { ROOT } from "../../../core/flows/scopes.ts";
import type { StepState } from "../../../core/flows/step-call.ts";
import { childPrefix } from "../../../core/jobs/lists/child-items.ts";
import type { EndState, RunningJob } from "../../../core/jobs/record/job.ts";
import { canceledEnding, failedEnding, flowDeadlineMs } from "../../../core/jobs/record/lifecycle.ts";
import type { ValueRef } from "../../../core/jobs/record/value-ref.ts";
import type { Uses } from "../../uses.ts";
import { findPlan, type LoadedPlan } from "../definitions/load.ts";
import { recoversList } from "../runtime/flow-values.ts";
import { findEnd, findOutcome, readJournal } from "../runtime/journal.ts";
import { getParkedState } from "../runtime/waiting/parked-jobs.ts";
import { deletedEnd, type EndFlowDeps, endFlow, type FlowEnd, timedOutEnd } from "./end-flow.ts";
import { startExecution } from "./start-execution.ts";

/** Consecutive executions that may end without a newly finished step. */
const MAX_STALLS = 3;

/** The cause of the loss of an execution. */
export interface LostExecution {
  /** The engine stopped. Such a loss is not counted against the flow. */
  engineStopped?: boolean;
}

/** The end of a flow. `failure` is the message of the `FlowFailed` that follows. */
type Verdict = FlowEnd & { failure?: string };

/** Makes the execution also fail in the console if the flow has failed. */
export class FlowFailed extends Error {
  override readonly name = "FlowFailed";
}

/**
 * Runs the last state of a flow's machine: ends the flow's job, or starts the next execution. A repeated call changes nothing. Throws
 * `FlowFailed`.
 */
export async function runLastState(deps: EndFlowDeps, state: StepState): Promise<StepState> {
  const flow = await deps.jobs.get(state.job);
  // The job has ended, or a later execution is the current one.
  if (flow?.state !== "running" || flow.flow?.execution !== state.execution) return state;
  if (state.outcome === "again") await startNextExecution(deps, flow, { stalls: flow.flow.stalls ?? 0 });
  else await settleFlow(deps, flow);
  return state;
}

/** Ends a flow's job according to its journal, or starts the next execution. Throws `FlowFailed` after it has recorded a failure. */
export async function settleFlow(deps: EndFlowDeps, flow: RunningJob, lost: LostExecution = {}): Promise<void> {
  const verdict = await findVerdict(deps, flow);
  if (!verdict) return continueFlow(deps, flow, lost);
  const { failure, ...end } = verdict;
  await endFlow(deps, flow, end);
  if (failure !== undefined) throw new FlowFailed(failure);
}

/** Returns the end of a flow, or `undefined` if its execution was lost. */
async function findVerdict(deps: EndFlowDeps, flow: RunningJob): Promise<Verdict | undefined> {
  if (flow.cancel) return { ending: canceledEnding(flow.cancel) };
  if (isPastDeadline(deps, flow)) return { ...timedOutEnd(flow), failure: `Flow ${flow.id} exceeded its time limit.` };
  const plan = await findPlan(deps, flow.flow?.plan ?? "");
  if (!plan) return deletedEnd;
  const ending = await findJournaledEnd(deps, flow, plan);
  if (!ending) return undefined;
  const isFailure = ending.state === "failed" || ending.state === "canceled";
  return { ending, ...(isFailure ? { failure: `Flow ${flow.id} failed. Its job contains the error.` } : {}) };
}

/** Returns whether a flow has exceeded its time limit. After that, none of its steps begins. */
export const isPastDeadline = ({ nowMs }: Uses<"nowMs">, flow: RunningJob): boolean => flowDeadlineMs(flow) <= nowMs();

/** Starts the next execution of a flow that has not ended, unless it waits for concurrency slots, or too many executions brought no progress. */
async function continueFlow(deps: EndFlowDeps, flow: RunningJob, { engineStopped = false }: LostExecution): Promise<void> {
  const parked = await getParkedState(deps, flow);
  if (parked === "over") return startNextExecution(deps, flow, { stalls: 0 });
  if (parked === "waits") {
    // The end of the job that it waits for starts the next execution. If that is lost, housekeeping starts it.
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
  await endFlow(deps, flow, { ending: failedEnding({ name: "FlowLost", message }) });
}

/** Starts the next execution of a flow, unless the flow has ended or another call has already started it. */
export async function startNextExecution(
  deps: EndFlowDeps,
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

/** Returns the end that the journal of a flow contains, or `undefined` if it contains none. */
async function findJournaledEnd(
  deps: EndFlowDeps,
  flow: RunningJob,
  { value }: LoadedPlan,
): Promise<{ state: EndState; value: ValueRef } | undefined> {
  const last = value.modules.at(-1)?.id ?? "";
  const items = await readJournal(deps, flow, [
    endRef(ROOT, ""),
    outcomeRef(last, ROOT, ""),
    ...(value.failure_module ? [outcomeRef(FAILURE, ROOT, "")] : []),
  ]);
  const end = findEnd(items, ROOT, "");
  if (end?.reason === "stopped") return { state: end.skip ? "skipped" : "succeeded", value: end.result };
  if (end?.reason === "failed") {
    const handled = findOutcome(items, FAILURE, ROOT, "");
    // The failure module handles the failures of the flow's own list, to which the preprocessor does not belong.
    if (value.failure_module && !handled && !end.handled && end.module !== PREPROCESSOR) return undefined;
    const state = end.canceled ? "canceled" : "failed";
    if (!handled) return { state, value: end.result };
    return { state: (await recoversList(deps, handled)) ? "succeeded" : state, value: handled.result };
  }
  const outcome = findOutcome(items, last, ROOT, "");
  return outcome?.transition === "next" ? { state: "succeeded", value: outcome.result } : undefined;
}
