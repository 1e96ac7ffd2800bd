import { endRef, FAILURE, PREPROCESSOR } from "../../../core/flows/journal.ts";
import { asksPeople, isContainer } from "../../../core/flows/scopes.ts";
import type { FlowState } from "../../../core/flows/step-call.ts";
import { decide } from "./complete-step.ts";
import { ExpressionError, evaluator } from "./expressions/evaluator.ts";
import { atGate, openConsent } from "./modules/approval.ts";
import { drive, previousOf } from "./modules/container.ts";
import { runStep } from "./modules/script.ts";
import { runNested } from "./modules/subflow.ts";
import { endIn, type Here, keepValue, outcomeIn, readItems, waitBeforeRetry } from "./step-context.ts";
import { answer, failed, StepFailed } from "./step-result.ts";

/**
 * A module at its place: what is known of it is answered, else it is carried out. `found`: what its journal has there. Throws `StepFailed` where the
 * machine has no other way to learn of a failure.
 */
export async function takeModule(here: Here, found: ReadonlyMap<string, string>): Promise<FlowState> {
  const { module, scope, at } = here;
  const known = outcomeIn(found, module.id, scope.name, at);
  if (known) return answer(here, known);
  if (module.id === FAILURE && !(await isToRun(here))) throw new StepFailed("There is nothing for the failure module to do.");
  return carryOut(here);
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
  // A module that does not run asks nobody either.
  if (mock?.enabled) return decide(here, names, { ok: true, result: await keepValue(here, mock.return_value ?? null), unasked: true });
  try {
    const asked = asksPeople(module) ? await atGate(here, names) : undefined;
    if (asked) return asked;
    if (skip && (await names.holds(skip.expr))) {
      return await decide(here, names, { ok: true, result: await previousOf(here), also: { skipped: true }, unasked: true });
    }
    if (value.type === "consentgate") return await openConsent(here, names, value);
    if (isContainer(module)) return await drive(here, names);
    if (value.type === "identity") return await decide(here, names, { ok: true, result: await previousOf(here) });
    return await (value.type === "flow" ? runNested(here, names) : runStep(here, names));
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return decide(here, names, await failed(here, error));
  }
}

/** Every expression that may be evaluated for a module: what they name is loaded together. */
function expressionsOf({ module }: Here): string[] {
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
