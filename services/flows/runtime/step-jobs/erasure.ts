import type { Uses } from "../../../uses.ts";
import { scheduleStepErasure } from "../../lifecycle/erase.ts";
import type { StepContext } from "../step-context.ts";

/**
 * Returns the seconds after the flow's end until the data of the step's job is erased, as configured in the module or an enclosing one;
 * `undefined`: never.
 */
export function erasureDelayS({ module, scope }: Pick<StepContext, "module" | "scope">): number | undefined {
  let delayS = module.delete_after_secs;
  for (let around = scope.of; around && typeof delayS !== "number"; around = around.scope.of) delayS = around.module.delete_after_secs;
  return delayS ?? undefined;
}

/** Records, before the step's job begins, the time at which its data is erased. `ofRunnableS`: the delay of the script or flow that it runs. */
export async function noteStepErasure(
  deps: Uses<"jobs">,
  step: Pick<StepContext, "flow" | "module" | "scope">,
  id: string,
  ofRunnableS?: number,
): Promise<void> {
  const { flow } = step;
  const delayS = erasureDelayS(step) ?? ofRunnableS;
  if (delayS !== undefined && flow.erasesSteps === undefined) {
    await deps.jobs.update(flow.id, { erasesSteps: "some" }, { attr: "erasesSteps", exists: false });
  }
  if (delayS !== undefined || flow.erasesSteps === "all") await scheduleStepErasure(deps, flow, id, delayS);
}
