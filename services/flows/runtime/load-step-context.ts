import type { FlowModule } from "../../../contract/flow-value.ts";
import { outcomeRef, placeIn, progressRef } from "../../../core/flows/journal.ts";
import type { Scope } from "../../../core/flows/scopes.ts";
import type { ModuleCall, StepState } from "../../../core/flows/step-call.ts";
import type { Job, RunningJob } from "../../../core/jobs/job.ts";
import { type LoadedPlan, loadPlan } from "../definitions/load.ts";
import { endLate, isLate } from "../lifecycle/finish.ts";
import { jsonOf, progressIn, readItems, type StepContext } from "./step-context.ts";
import type { StepDeps } from "./step-deps.ts";

/** Of an execution that does not count any more: it ends without changing anything. */
class Superseded extends Error {
  override readonly name = "Superseded";
}

/** Finds the place that a call is for, and what the journal has there. Throws `Superseded`. */
export async function loadStepContext(
  deps: StepDeps,
  { state, module: id, scope: name }: ModuleCall,
): Promise<{ here: StepContext; found: Map<string, string> }> {
  // Most places are where the state says: one read, with the head.
  const refsAt = (at: string) => [outcomeRef(id, name, at), progressRef(id, name, at)];
  const { job, items } = await deps.jobs.getWith(state.j, refsAt(state.at));
  const flow = counting(job, state);
  if (isLate(deps, flow)) {
    await endLate(deps, flow);
    throw new Superseded(`The flow ${flow.id} exceeded its time limit.`);
  }
  const plan = await loadPlan(deps, flow.flow?.plan ?? "");
  const [module, scope] = placed(plan, id, name);
  const at = placeIn(scope, state.at);
  const found = at === state.at ? jsonOf(items) : await readItems({ working: deps, flow }, refsAt(at));
  const progress = progressIn(found, id, name, at) ?? {};
  return { here: { working: deps, flow, plan, module, scope, at, state, progress, secrets: new Set() }, found };
}
function counting(flow: Job | undefined, { j, n }: StepState): RunningJob {
  if (flow?.state !== "running" || flow.flow?.n !== n) throw new Superseded(`Execution ${n} of job ${j} was replaced by a newer one.`);
  if (flow.cancel) throw new Superseded(`The job ${j} is being canceled.`);
  return flow;
}

function placed({ index }: LoadedPlan, id: string, name: string): [FlowModule, Scope] {
  const module = index.modules.get(id)?.module;
  const scope = index.scopes.get(name);
  if (!module || !scope) throw new Error(`The flow has no module ${id} in ${name || "its list"}.`);
  return [module, scope];
}
