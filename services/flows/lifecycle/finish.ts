import type { Executions } from "../../../aws/stepfunctions/executions.ts";
import { limits } from "../../../contract/limits.ts";
import { endRef, FAILURE, outcomeRef } from "../../../core/flows/journal.ts";
import { ROOT } from "../../../core/flows/scopes.ts";
import type { StepState } from "../../../core/flows/step-call.ts";
import { type EndState, hasEnded, type Job, type RunningJob } from "../../../core/jobs/job.ts";
import { canceled, failure, flowDeadlineMs, flowLookMs, flowTimedOut } from "../../../core/jobs/lifecycle.ts";
import type { ValueRef } from "../../../core/jobs/value-ref.ts";
import type { GateDeps } from "../../approvals/gates/change-gate.ts";
import { reconcileGates } from "../../approvals/gates/reconcile-gates.ts";
import { remember } from "../../jobs/cache/cache.ts";
import { type ConcurrencyDeps, releaseSlot } from "../../jobs/concurrency/concurrency.ts";
import { endKept, endWith, type FinishJobDeps } from "../../jobs/lifecycle/finish.ts";
import { type LoadedPlan, loadPlanIfThere } from "../definitions/load.ts";
import { parked, parkedFor } from "../runtime/parked-jobs.ts";
import { resumeParentTask } from "../runtime/resume-parent-task.ts";
import { endIn, outcomeIn, readItems, recovers } from "../runtime/step-context.ts";
import { stopFlow } from "./cancel.ts";
import { type StartExecutionDeps, startExecution } from "./start.ts";

/** What ending flows, and going on with them, takes. */
export type FinishFlowDeps = FinishJobDeps &
  ConcurrencyDeps &
  StartExecutionDeps & { executions: Pick<Executions, "start" | "stop" | "status" | "resume"> };

/** Executions in a row that may end without a newly finished step. */
const STALLS = 3;

/** How a flow has gone, by its journal; `undefined`: it was lost on the way. */
type Verdict = { state: EndState; result: ValueRef } | undefined;

/** The last state of a flow's machine: its job ends, or another execution goes on. It may be called again at any time. */
export async function finishFlow(deps: FinishFlowDeps, state: StepState): Promise<StepState> {
  const flow = await deps.jobs.get(state.j);
  // Ended, canceled by somebody who ends the record, or gone on in another execution.
  if (flow?.state !== "running" || flow.flow?.n !== state.n) return state;
  if (state.o === "again") await goOn(deps, flow, flow.flow.stalls ?? 0);
  else await settleFlow(deps, flow);
  return state;
}

/** Ends a flow's job as its journal says, or starts the execution that goes on with it. Throws `FlowFailed` after a failure is written down. */
async function settleFlow(deps: FinishFlowDeps, flow: RunningJob): Promise<void> {
  if (flow.cancel) {
    await ended(deps, flow, endWith(deps, flow, canceled(flow.cancel)));
    return;
  }
  if (isLate(deps, flow)) {
    await endLate(deps, flow);
    throw new FlowFailed(`The flow exceeded its time limit. See its job ${flow.id}.`);
  }
  const plan = await loadPlanIfThere(deps, flow.flow?.plan ?? "");
  if (!plan) {
    await ended(deps, flow, endWith(deps, flow, failure({ name: "FlowDeleted", message: "The flow was deleted while it ran." })));
    return;
  }
  const verdict = await verdictOf(deps, flow, plan);
  if (verdict) {
    // An equal run may be answered from the cache from now on. Should noting that fail, it runs.
    if (verdict.state === "succeeded") await remember(deps, flow, deps.nowMs()).catch(() => undefined);
    await ended(deps, flow, endKept(deps, flow, verdict.state, verdict.result));
    if (verdict.state === "failed" || verdict.state === "canceled") throw new FlowFailed(`The flow failed. See its job ${flow.id}.`);
    return;
  }
  const waits = await parked(deps, flow);
  if (waits === "over") return goOn(deps, flow, 0);
  if (waits === "waits") {
    // Who ends the job that it waits for starts the next execution; should that be lost, housekeeping does.
    const dueAtMs = Math.min(deps.nowMs() + limits.flowParkedLookMs, flowDeadlineMs(flow));
    await deps.jobs.change(flow.id, { dueAtMs }, { attr: "state", eq: "running" });
    return;
  }
  const stalls = flow.flow?.stalls ?? 0;
  const steps = (await deps.jobs.children(flow.id, "m#")).length;
  if (steps > (flow.flow?.steps ?? 0)) return goOn(deps, flow, 0, steps);
  if (stalls + 1 < STALLS) return goOn(deps, flow, stalls + 1, steps);
  const message = `The flow's execution was lost ${STALLS} times without completing another step. The flow is not retried.`;
  await ended(deps, flow, endWith(deps, flow, failure({ name: "FlowLost", message })));
}

/**
 * An execution has ended, or may have: what its job's record does not know yet is made up for. `stopped`: somebody has stopped it in the console,
 * and perhaps why. Anybody may ask at any time.
 */
export async function settle(deps: FinishFlowDeps, id: string, n: number, stopped = false): Promise<void> {
  const flow = await deps.jobs.get(id);
  // Whoever ended it may have died before its parent was told.
  if (flow && hasEnded(flow)) await resumeParentTask(deps, flow);
  if (flow?.state !== "running" || flow.flow?.n !== n) return;
  if (stopped) {
    const { machine = "" } = flow.flow;
    const { reason } = await deps.executions.status({ machine, job: id, n });
    const cancel = { by: "the Step Functions console", reason };
    await ended(deps, flow, endWith(deps, { ...flow, cancel }, canceled(cancel), "", { cancel }));
    return;
  }
  await settleFlow(deps, flow).catch((error: unknown) => {
    if (!(error instanceof FlowFailed)) throw error;
  });
}

/** Whether a flow's time is over: nothing of it begins any more. */
export const isLate = ({ nowMs }: Pick<FinishFlowDeps, "nowMs">, flow: RunningJob): boolean => flowDeadlineMs(flow) <= nowMs();

/** Ends a flow whose time is over, with all that is under way in it; a script that runs is stopped by its next beat. */
export async function endLate(deps: FinishFlowDeps, flow: RunningJob): Promise<void> {
  const late = await endWith(deps, flow, flowTimedOut(flow));
  if (!late) return;
  await stopFlow(deps, flow, { by: "svc", reason: "the flow that contains this step exceeded its time limit" });
  await releaseSlot(deps, late);
}

/** A job that has waited for a slot has ended: the flow that let its execution end meanwhile goes on. */
export async function wake(deps: FinishFlowDeps, ended: Job): Promise<void> {
  if (!ended.concurrency) return;
  const flow = await parkedFor(deps, ended);
  if (flow) await goOn(deps, flow, 0);
}

/** Events about executions may be lost: asks how the one that counts is, and goes on where it does not. */
export async function reconcileFlow(deps: FinishFlowDeps & GateDeps, flow: RunningJob): Promise<"waited" | "ended"> {
  const { executions, jobs, nowMs } = deps;
  if (isLate(deps, flow)) {
    await endLate(deps, flow);
    return "ended";
  }
  const { nextMs, lost } = await reconcileGates(deps, flow);
  const { machine, n } = flow.flow ?? { n: 0 };
  const { is } = machine === undefined ? { is: "none" } : await executions.status({ machine, job: flow.id, n });
  if (is === "none") await startExecution(deps, flow);
  const isOver = is === "ended" || is === "stopped";
  if (!isOver && is !== "none" && lost && machine !== undefined) {
    // Another execution asks anew; what this one still waits for comes from nowhere.
    await goOn(deps, flow, 0);
    await executions.stop({ machine, job: flow.id, n }, "a waiting task was lost");
    return "waited";
  }
  if (isOver) await settle(deps, flow.id, n, is === "stopped");
  const dueAtMs = Math.min(flowLookMs(flow, nowMs()), nextMs);
  if (!isOver) await jobs.change(flow.id, { dueAtMs }, { attr: "state", eq: "running" });
  return isOver ? "ended" : "waited";
}

/** The execution shows as failed in the console too. */
class FlowFailed extends Error {
  override readonly name = "FlowFailed";
}

async function ended(deps: FinishFlowDeps, flow: RunningJob, ending: Promise<unknown>): Promise<void> {
  if (!(await ending)) return;
  await resumeParentTask(deps, flow);
  await releaseSlot(deps, flow);
}

async function goOn(deps: FinishFlowDeps, { id, flow }: RunningJob, stalls: number, steps = flow?.steps ?? 0): Promise<void> {
  if (!flow) return;
  const next = { ...flow, n: flow.n + 1, stalls, steps };
  const changed = await deps.jobs.change(
    id,
    { flow: next },
    {
      and: [
        { attr: "state", eq: "running" },
        { attr: "flow.n", eq: flow.n },
      ],
    },
  );
  if (changed) await startExecution(deps, changed);
}

async function verdictOf(deps: FinishFlowDeps, flow: RunningJob, { value }: LoadedPlan): Promise<Verdict> {
  const last = value.modules.at(-1)?.id ?? "";
  const step = { working: deps, flow };
  const items = await readItems(step, [
    endRef(ROOT, ""),
    outcomeRef(last, ROOT, ""),
    ...(value.failure_module ? [outcomeRef(FAILURE, ROOT, "")] : []),
  ]);
  const end = endIn(items, ROOT, "");
  if (end?.how === "stopped") return { state: end.skip ? "skipped" : "succeeded", result: end.result };
  if (end?.how === "failed") {
    const mended = outcomeIn(items, FAILURE, ROOT, "");
    if (value.failure_module && !mended && !end.handled) return undefined;
    const state = end.canceled ? "canceled" : "failed";
    if (!mended) return { state, result: end.result };
    return { state: (await recovers(deps, mended)) ? "succeeded" : state, result: mended.result };
  }
  const outcome = outcomeIn(items, last, ROOT, "");
  return outcome?.goes === "next" ? { state: "succeeded", result: outcome.result } : undefined;
}
