import type { FlowModule } from "../../contract/flow-value.ts";
import { endRef, FAILURE, outcomeRef, PREPROCESSOR, placeIn, progressRef } from "../../core/flows/journal.ts";
import { isContainer, type Scope } from "../../core/flows/scopes.ts";
import type { FlowState, StepCall } from "../../core/flows/step-call.ts";
import type { Job, RunningJob } from "../../core/jobs/job.ts";
import type { Working } from "../jobs/work.ts";
import { answer, decide, failed, StepFailed } from "./decide.ts";
import { drive, previousOf } from "./drive.ts";
import { ExpressionError, evaluator } from "./expressions.ts";
import { endLate, finishFlow, isLate } from "./finish.ts";
import { endIn, type Here, jsonOf, keepValue, outcomeIn, progressIn, readItems, waitBeforeRetry } from "./here.ts";
import { type LoadedPlan, loadPlan } from "./load.ts";
import { holdFor, runNested } from "./nested.ts";
import { runStep } from "./run-step.ts";

/** Of an execution that does not count any more: it ends without changing anything. */
class Superseded extends Error {
  override readonly name = "Superseded";
}

/**
 * One state of a flow's machine. What was done here before is found in the journal and answered at once: a lost call, a restarted engine, a
 * continued loop and a redrive are the same thing. Throws `StepFailed` where the machine has no other way to learn of a failure.
 */
export async function takeStep(working: Working, call: StepCall): Promise<FlowState> {
  if ("finish" in call) return finishFlow(working, call.state);
  const { state, module: id, scope: name } = call;
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
  const here: Here = { working, flow, plan, module, scope, at, state, progress, secrets: new Set() };
  const known = outcomeIn(found, id, name, at);
  if (call.token !== undefined) return holdFor(here, call.token);
  if (known) return answer(here, known);
  if (id === FAILURE && !(await isToRun(here))) throw new StepFailed("There is nothing for the failure module to do.");
  return carryOut(here);
}

function counting(flow: Job | undefined, { j, n }: FlowState): RunningJob {
  if (flow?.state !== "running" || flow.flow?.n !== n) throw new Superseded(`Execution ${n} of job ${j} does not count any more.`);
  if (flow.cancel) throw new Superseded(`The job ${j} is being canceled.`);
  return flow;
}

function placed({ index }: LoadedPlan, id: string, name: string): [Here["module"], Scope] {
  const module = index.modules.get(id)?.module;
  const scope = index.scopes.get(name);
  if (!module || !scope) throw new Error(`The flow has no module ${id} in ${name || "its list"}.`);
  return [module, scope];
}

/** Only for a failure that none has seen yet. One without a record was lost on the way: that is not for the flow to handle. */
async function isToRun(here: Here): Promise<boolean> {
  const { scope, at } = here;
  const end = endIn(await readItems(here, [endRef(scope.name, at)]), scope.name, at);
  return end?.how === "failed" && !end.handled;
}

async function carryOut(here: Here): Promise<FlowState> {
  const waiting = waitBeforeRetry(here);
  if (waiting) return waiting;
  const { module, flow } = here;
  // What comes from a job, or is asked to skip it, is the flow's input as it is.
  if (module.id === PREPROCESSOR && flow.preprocess !== "wanted") {
    const nothing = { ok: true, result: { of: flow.id, place: flow.args }, also: { skipped: true } };
    return decide(here, evaluator(here, []), nothing);
  }
  const { value, mock, skip_if: skip } = module;
  const names = evaluator(here, expressionsOf(here));
  // Better no run than one that nobody was asked about.
  if (asksPeople(module)) return decide(here, names, await failed(here, { name: "NotSupported", message: NO_APPROVALS }));
  if (mock?.enabled) return decide(here, names, { ok: true, result: await keepValue(here, mock.return_value ?? null) });
  try {
    if (skip && (await names.holds(skip.expr))) {
      return await decide(here, names, { ok: true, result: await previousOf(here), also: { skipped: true } });
    }
    if (isContainer(module)) return await drive(here, names);
    if (value.type === "identity") return await decide(here, names, { ok: true, result: await previousOf(here) });
    return await (value.type === "flow" ? runNested(here, names) : runStep(here, names));
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return decide(here, names, await failed(here, error));
  }
}

const NO_APPROVALS = "Flows cannot wait for approvals yet: this step was not run.";
const asksPeople = ({ value, suspend }: FlowModule) => value.type === "consentgate" || (suspend?.required_events ?? 0) > 0;

/** Every expression that may be evaluated for a module: what they name is loaded together. */
function expressionsOf({ module }: Here): string[] {
  const { value } = module;
  const transforms = [
    ...("input_transforms" in value ? Object.values(value.input_transforms ?? {}) : []),
    ...("iterator" in value ? [value.iterator] : []),
    ...("parallelism" in value ? [value.parallelism] : []),
    module.sleep,
    module.timeout,
  ] as ({ type?: string; expr?: string } | undefined | null)[];
  const conditions = [module.skip_if, module.stop_after_if, module.stop_after_all_iters_if, module.retry?.retry_if];
  const branches = value.type === "branchone" ? value.branches : [];
  return [...transforms, ...conditions, ...branches].flatMap((part) => (typeof part?.expr === "string" ? [part.expr] : []));
}
