import type { FlowModule } from "../../../../contract/flows/flow-value.ts";
import { limitAtOnce, MOST_AT_ONCE } from "../../../../core/flows/parallelism.ts";
import type { StepState } from "../../../../core/flows/step-call.ts";
import { escapeByOrigin } from "../../../../core/resources/reference-origin.ts";
import { type CompleteStepDeps, completeStep } from "../complete-step.ts";
import { storeFlowValue } from "../flow-values.ts";
import { writeProgress } from "../journal.ts";
import { runInOrder } from "../lists/run-in-order.ts";
import { runInRounds } from "../lists/run-in-rounds.ts";
import type { StepContext } from "../step-context.ts";
import { failedWith } from "../step-result.ts";

type ForLoop = Extract<FlowModule["value"], { type: "forloopflow" }>;

/** The maximum number of iterations of a round whose Map state limits its concurrency. The history of an execution limits them further. */
const ROUND_MOST = 500;

/** Evaluates the iterator once, and then runs one iteration after another, or several at once. */
export async function runForLoop(deps: CompleteStepDeps, step: StepContext, value: ForLoop): Promise<StepState> {
  let { progress } = step;
  if (progress.list === undefined) {
    // The steps inside receive the items as `flow_input.iter.value`, a path of stored arguments.
    const list = escapeByOrigin(value.iterator, await deps.expressions.transform("iterator", value.iterator));
    if (!Array.isArray(list)) {
      const kind = list === null ? "null" : typeof list;
      const error = { name: "IteratorError", message: `Expected an array to iterate over, but got ${kind}.` };
      return completeStep(deps, step, await failedWith(deps, step, error));
    }
    const width = await iterationsAtOnce(deps, value);
    progress = await writeProgress(deps, step, { list: await storeFlowValue(deps, step, list), count: list.length, width });
  }
  const { count = 0, width = MOST_AT_ONCE } = progress;
  const started = { ...step, progress };
  return value.parallel === true
    ? runInRounds(deps, started, { count, width, most: step.slides ? ROUND_MOST : width })
    : runInOrder(deps, started, count);
}

async function iterationsAtOnce({ expressions }: CompleteStepDeps, { parallelism }: ForLoop): Promise<number> {
  const configured = parallelism ? await expressions.number("parallelism", parallelism, "a number of iterations") : undefined;
  return limitAtOnce(configured);
}
