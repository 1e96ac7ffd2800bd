import pMap from "p-map";
import type { FlowModule } from "../../../../contract/flows/flow-value.ts";
import type { StepState } from "../../../../core/flows/step-call.ts";
import type { Uses } from "../../../uses.ts";
import { type CompleteStepDeps, completeStep } from "../complete-step.ts";
import { loadFlowValue, storeFlowValue } from "../flow-values.ts";
import type { StepContext } from "../step-context.ts";
import { findListResults, type ListResult, placeAt } from "./list-results.ts";

/** The number of values that are loaded concurrently. Each may be an object in S3. */
const LOADED_AT_ONCE = 50;
/** The maximum number of jobs in the outcome of a loop, because an item of the journal is limited. */
const JOBS_NAMED = 2000;

/** Whether the failure of an iteration or branch does not fail the module. */
export function skipsFailure({ value }: FlowModule, index: number): boolean {
  if (value.type === "branchall") return value.branches[index]?.skip_failure ?? false;
  return "skip_failures" in value && value.skip_failures === true;
}

/** The first `count` lists inside a module: the end and the result of each. */
export async function loadListResults(
  deps: Uses<"jobs" | "storage">,
  step: StepContext,
  count: number,
): Promise<{ ends: (ListResult | undefined)[]; values: unknown[] }> {
  const places = Array.from({ length: count }, (_, index) => placeAt(step, index));
  const ends = await findListResults(deps, step, places);
  const values = await pMap(ends, (end) => (end ? loadFlowValue(deps, step, end.result) : null), { concurrency: LOADED_AT_ONCE });
  return { ends, values };
}

/** The end of the module, if the ends of some of its lists decide it. */
type Forced = { status: "succeeded" | "failed" } | { status: "stopped"; skip?: boolean | undefined };

/** Completes the module with the results of its first `count` lists, in their order. */
export async function completeWithResults(deps: CompleteStepDeps, step: StepContext, count: number, forced?: Forced): Promise<StepState> {
  const { module } = step;
  const { ends, values } = await loadListResults(deps, step, count);
  const succeeded = ends.map((end) => end?.status !== "failed");
  const shared = {
    result: await storeFlowValue(deps, step, values),
    details: { jobs: ends.map((end) => end?.job ?? null).slice(0, JOBS_NAMED), succeeded: succeeded.slice(0, JOBS_NAMED) },
  };
  const { status, ...skip } = forced ?? {
    status: succeeded.every((each, index) => each || skipsFailure(module, index)) ? ("succeeded" as const) : ("failed" as const),
  };
  if (status !== "failed") return completeStep(deps, step, { status, ...skip, ...shared });
  const canceled = ends.some((end, index) => end?.canceled && !skipsFailure(module, index));
  return completeStep(deps, step, { status, ...shared, canceled, handled: true });
}
