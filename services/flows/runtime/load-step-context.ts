import type { FlowModule } from "../../../contract/flow-value.ts";
import { outcomeRef, placeIn, progressRef } from "../../../core/flows/journal.ts";
import type { Scope } from "../../../core/flows/scopes.ts";
import type { FlowState, ModuleCall } from "../../../core/flows/step-call.ts";
import type { Job, RunningJob } from "../../../core/jobs/job.ts";
import type { Working } from "../../execution/run-job.ts";
import { type LoadedPlan, loadPlan } from "../definitions/load.ts";
import { endLate, isLate } from "../lifecycle/finish.ts";
import { type Here, jsonOf, progressIn, readItems } from "./step-context.ts";

/** Of an execution that does not count any more: it ends without changing anything. */
class Superseded extends Error {
  override readonly name = "Superseded";
}

/** Finds the place that a call is for, and what the journal has there. Throws `Superseded`. */
export async function arrive(
  working: Working,
  { state, module: id, scope: name }: ModuleCall,
): Promise<{ here: Here; found: Map<string, string> }> {
  // Most places are where the state says: one read, with the head.
  const refsAt = (at: string) => [outcomeRef(id, name, at), progressRef(id, name, at)];
  const { job, items } = await working.jobs.getWith(state.j, refsAt(state.at));
  const flow = counting(job, state);
  if (isLate(working, flow)) {
    await endLate(working, flow);
    throw new Superseded(`The time of the flow ${flow.id} is over.`);
  }
  const plan = await loadPlan(working, flow.flow?.plan ?? "");
  const [module, scope] = placed(plan, id, name);
  const at = placeIn(scope, state.at);
  const found = at === state.at ? jsonOf(items) : await readItems({ working, flow }, refsAt(at));
  const progress = progressIn(found, id, name, at) ?? {};
  return { here: { working, flow, plan, module, scope, at, state, progress, secrets: new Set() }, found };
}
function counting(flow: Job | undefined, { j, n }: FlowState): RunningJob {
  if (flow?.state !== "running" || flow.flow?.n !== n) throw new Superseded(`Execution ${n} of job ${j} does not count any more.`);
  if (flow.cancel) throw new Superseded(`The job ${j} is being canceled.`);
  return flow;
}

function placed({ index }: LoadedPlan, id: string, name: string): [FlowModule, Scope] {
  const module = index.modules.get(id)?.module;
  const scope = index.scopes.get(name);
  if (!module || !scope) throw new Error(`The flow has no module ${id} in ${name || "its list"}.`);
  return [module, scope];
}
