import { endRef, FAILURE, PREPROCESSOR } from "../../../core/flows/journal.ts";
import { asksPeople, isContainer } from "../../../core/flows/scopes.ts";
import type { StepState } from "../../../core/flows/step-call.ts";
import { completeStep } from "./complete-step.ts";
import { ExpressionError, evaluator } from "./expressions/evaluator.ts";
import { atGate, openConsent } from "./modules/approval.ts";
import { previousOf, runContainer } from "./modules/container.ts";
import { runStep } from "./modules/script.ts";
import { runSubflow } from "./modules/subflow.ts";
import { endIn, outcomeIn, readItems, type StepContext, storeFlowValue, waitBeforeRetry } from "./step-context.ts";
import { failureResult, nextState, StepFailed } from "./step-result.ts";

/**
 * A module at its place: what is known of it is answered, else it is carried out. `found`: what its journal has there. Throws `StepFailed` where the
 * machine has no other way to learn of a failure.
 */
export async function executeModule(step: StepContext, found: ReadonlyMap<string, string>): Promise<StepState> {
  const { module, scope, at } = step;
  const known = outcomeIn(found, module.id, scope.name, at);
  if (known) return nextState(step, known);
  if (module.id === FAILURE && !(await isToRun(step))) throw new StepFailed("The failure module has nothing to do.");
  return runModule(step);
}

/** Only for a failure that none has seen yet. One without a record was lost on the way: that is not for the flow to handle. */
async function isToRun(step: StepContext): Promise<boolean> {
  const { scope, at } = step;
  const end = endIn(await readItems(step, [endRef(scope.name, at)]), scope.name, at);
  return end?.how === "failed" && !end.handled;
}

async function runModule(step: StepContext): Promise<StepState> {
  const waiting = waitBeforeRetry(step);
  if (waiting) return waiting;
  const { module, flow } = step;
  // What comes from a job, or is asked to skip it, is the flow's input as it is.
  if (module.id === PREPROCESSOR && flow.preprocess !== "wanted") {
    const nothing = { ok: true, result: { of: flow.id, place: flow.args }, also: { skipped: true } };
    return completeStep(step, evaluator(step, []), nothing);
  }
  const { value, mock, skip_if: skip } = module;
  const names = evaluator(step, expressionsOf(step));
  // A module that does not run asks nobody either.
  if (mock?.enabled)
    return completeStep(step, names, { ok: true, result: await storeFlowValue(step, mock.return_value ?? null), unasked: true });
  try {
    const asked = asksPeople(module) ? await atGate(step, names) : undefined;
    if (asked) return asked;
    if (skip && (await names.holds(skip.expr))) {
      return await completeStep(step, names, { ok: true, result: await previousOf(step), also: { skipped: true }, unasked: true });
    }
    if (value.type === "consentgate") return await openConsent(step, names, value);
    if (isContainer(module)) return await runContainer(step, names);
    if (value.type === "identity") return await completeStep(step, names, { ok: true, result: await previousOf(step) });
    return await (value.type === "flow" ? runSubflow(step, names) : runStep(step, names));
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return completeStep(step, names, await failureResult(step, error));
  }
}

/** Every expression that may be evaluated for a module: what they name is loaded together. */
function expressionsOf({ module }: StepContext): string[] {
  const { value } = module;
  const transforms = [
    ...("input_transforms" in value ? Object.values(value.input_transforms ?? {}) : []),
    ...("iterator" in value ? [value.iterator] : []),
    ...("parallelism" in value ? [value.parallelism] : []),
    module.sleep,
    module.timeout,
    module.suspend?.user_groups_required,
  ] as ({ type?: string; expr?: string } | undefined | null)[];
  const conditions = [module.skip_if, module.stop_after_if, module.stop_after_all_iters_if, module.retry?.retry_if];
  const branches = value.type === "branchone" ? value.branches : [];
  return [...transforms, ...conditions, ...branches].flatMap((part) => (typeof part?.expr === "string" ? [part.expr] : []));
}
