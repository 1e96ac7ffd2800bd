import type { FlowModule } from "../../../contract/flows/flow-value.ts";
import { findScopePath, outcomeRef, progressRef } from "../../../core/flows/journal.ts";
import type { Scope } from "../../../core/flows/scopes.ts";
import type { ModuleCall, StepState } from "../../../core/flows/step-call.ts";
import type { Job, RunningJob } from "../../../core/jobs/record/job.ts";
import { findLostRight } from "../../execution/rights/lost-rights.ts";
import type { Uses } from "../../uses.ts";
import { type LoadedPlan, loadPlan } from "../definitions/load.ts";
import { endFlow, lostRightEnd, timedOutEnd } from "../lifecycle/end-flow.ts";
import { isPastDeadline } from "../lifecycle/settle-flow.ts";
import { findProgress, type JournalItems, readJournal } from "./journal.ts";
import type { StepContext } from "./step-context.ts";

/** The execution is not the newest one of its flow: it ends without changing anything. */
class ExecutionSuperseded extends Error {
  override readonly name = "ExecutionSuperseded";
}

/**
 * Loads the module of a call and the items of the journal at its position, in one read if the call contains the path. Throws
 * `ExecutionSuperseded`.
 */
export async function loadStepContext(
  deps: Uses<
    "followUps" | "jobs" | "objects" | "storage" | "concurrency" | "queue" | "executions" | "functions" | "nowMs" | "pause" | "maxRetryMs"
  >,
  { state, module: id, scope: name, window, continues }: ModuleCall,
): Promise<{ step: StepContext; items: JournalItems }> {
  const refsAt = (path: string) => [outcomeRef(id, name, path), progressRef(id, name, path)];
  const { job, items: found } = await deps.jobs.getWith(state.job, refsAt(state.path));
  const flow = currentFlow(job, state);
  if (isPastDeadline(deps, flow)) {
    await endFlow(deps, flow, timedOutEnd(flow));
    throw new ExecutionSuperseded(`The time limit of flow ${flow.id} is exceeded.`);
  }
  const lost = await findLostRight(deps, flow);
  if (lost) {
    await endFlow(deps, flow, lostRightEnd(lost));
    throw new ExecutionSuperseded(`The flow ${flow.id} lost a right.`);
  }
  const plan = await loadPlan(deps, flow.flow?.plan ?? "");
  const [module, scope] = findModule(plan, id, name);
  const path = findScopePath(scope, state.path);
  const items = path === state.path ? found : await readJournal(deps, flow, refsAt(path));
  const progress = findProgress(items, id, name, path) ?? {};
  const machine = { slides: window === "sliding", continues: continues !== undefined };
  return { step: { flow, plan, module, scope, path, state, progress, secrets: new Set(), ...machine }, items };
}

function currentFlow(flow: Job | undefined, { job, execution }: StepState): RunningJob {
  if (flow?.state !== "running" || flow.flow?.execution !== execution) {
    throw new ExecutionSuperseded(`Execution ${execution} of job ${job} is not the current one.`);
  }
  if (flow.cancel) throw new ExecutionSuperseded(`Job ${job} is being canceled.`);
  return flow;
}

function findModule({ index }: LoadedPlan, id: string, name: string): [FlowModule, Scope] {
  const module = index.modules.get(id)?.module;
  const scope = index.scopes.get(name);
  if (!module || !scope) throw new Error(`The flow has no module ${id} in ${name || "its list"}.`);
  return [module, scope];
}
