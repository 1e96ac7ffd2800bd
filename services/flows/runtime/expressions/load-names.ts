import { endRef, outcomeRef } from "../../../../core/flows/journal.ts";
import { findVisibleSteps, type References } from "../../../../core/flows/references.ts";
import { loadResumePayloads, NO_RESUME_PAYLOADS } from "../../../approvals/gates/resume-payloads.ts";
import type { Uses } from "../../../uses.ts";
import { loadFlowValue } from "../flow-values.ts";
import { findEnd, findOutcome, type JournalItems, readJournal } from "../journal.ts";
import { isFailureModule, type StepContext } from "../step-context.ts";
import type { NewResults } from "./evaluator.ts";
import { loadFlowEnvironment } from "./flow-environment.ts";
import { loadInput } from "./flow-input.ts";

/** Loads the names of the flow that expressions of a step use. The other names get null. */
export async function loadNames(
  deps: Uses<"jobs" | "objects" | "storage" | "dataKeys" | "nowMs">,
  step: StepContext,
  references: References,
  newResults: NewResults = {},
): Promise<Record<string, unknown>> {
  const steps = findVisibleSteps(step.plan.index, step.scope, step.path, references.results);
  const before = previousModule(step);
  const inFailure = isFailureModule(step);
  const refs = [
    ...[...steps].map(([id, { scope, path }]) => outcomeRef(id, scope.name, path)),
    ...((references.previous || references.resume) && before ? [outcomeRef(before, step.scope.name, step.path)] : []),
    ...(references.previous && inFailure ? [endRef(step.scope.name, step.path)] : []),
  ];
  const items = await readJournal(deps, step.flow, refs);
  const loaded = new Map<string, unknown>();
  const [flow_input, flow_env] = await Promise.all([
    references.input || (references.previous && !before && !inFailure) ? loadInput(deps, step) : null,
    references.env ? loadFlowEnvironment(deps, step) : null,
    ...[...steps].map(async ([id, { scope, path }]) => {
      const outcome = findOutcome(items, id, scope.name, path);
      if (Object.hasOwn(newResults, id)) loaded.set(id, newResults[id]);
      else if (outcome) loaded.set(id, await loadFlowValue(deps, step, outcome.result));
    }),
  ]);
  // In the order of the flow. If an expression may list the steps, one that has not run, does not exist or is not visible from here has no
  // property.
  const ids = references.results === "all" ? [...steps.keys()].filter((id) => loaded.has(id)) : [...references.results];
  const results = Object.fromEntries(ids.map((id) => [id, loaded.get(id) ?? null]));
  const previous_result = references.previous ? await loadPreviousResult(deps, step, items, flow_input) : null;
  const error = (previous_result as { error?: unknown } | null)?.error ?? null;
  const { gate } = (references.resume && before && findOutcome(items, before, step.scope.name, step.path)) || {};
  const resumed = gate === undefined ? NO_RESUME_PAYLOADS : await loadResumePayloads(deps, gate);
  return { flow_input, results, previous_result, error, flow_env, ...resumed };
}

async function loadPreviousResult(
  deps: Uses<"jobs" | "storage">,
  step: StepContext,
  items: JournalItems,
  input: unknown,
): Promise<unknown> {
  const { scope, path } = step;
  const end = isFailureModule(step) ? findEnd(items, scope.name, path) : undefined;
  if (end) {
    const result = await loadFlowValue(deps, step, end.result);
    // The last result of a loop is the error that ended it.
    return Array.isArray(result) ? result.at(-1) : result;
  }
  const before = previousModule(step);
  if (!before) return input;
  const outcome = findOutcome(items, before, scope.name, path);
  return outcome ? loadFlowValue(deps, step, outcome.result) : null;
}

/** The module whose result is `previous_result`; `undefined` for the first module of a list, and for modules outside the flow's list. */
export function previousModule({ plan, module, scope }: StepContext): string | undefined {
  const placed = plan.index.modules.get(module.id);
  return placed && placed.index > 0 ? scope.modules[placed.index - 1]?.id : undefined;
}
