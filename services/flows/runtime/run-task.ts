import { ROOT } from "../../../core/flows/scopes.ts";
import type { ModuleCall, StepCall, StepState } from "../../../core/flows/step-call.ts";
import { finishFlow } from "../lifecycle/finish.ts";
import { executeModule } from "./execute-module.ts";
import { loadStepContext } from "./load-step-context.ts";
import { registerTaskToken } from "./modules/subflow.ts";
import { heldBy, resumeTask } from "./resume-parent-task.ts";
import { walkSegment } from "./segments/run-segment.ts";
import type { StepContext } from "./step-context.ts";
import type { StepDeps } from "./step-deps.ts";

/**
 * One state of a flow's machine. What was done here before is found in the journal and answered at once: a lost call, a restarted engine, a
 * continued loop and a redrive are the same thing. Throws `StepFailed` where the machine has no other way to learn of a failure.
 */
export async function runTask(deps: StepDeps, call: StepCall): Promise<StepState> {
  if ("finish" in call) return finishFlow(deps, call.state);
  if ("segment" in call) return walkSegment(deps, call);
  if (call.token !== undefined) return registerToken(deps, call, call.token);
  const { here, found } = await loadStepContext(deps, call);
  const state = await executeModule(here, found);
  if (state.o === "next" && isFlowsLast(here)) await endAhead(deps, state);
  return state;
}

const isFlowsLast = ({ module, scope }: StepContext) => scope.name === ROOT && scope.modules.at(-1)?.id === module.id;

/** With its last step the flow has ended, and who waits for it need not wait for the machine's last state. That one does what could not be done here. */
async function endAhead(deps: StepDeps, state: StepState): Promise<void> {
  await finishFlow(deps, state).catch(() => undefined);
}

/** Where nothing is to be waited for, the token is sent at once: not every engine looks at what a function throws that has one. */
async function registerToken(deps: StepDeps, call: ModuleCall, token: string): Promise<StepState> {
  try {
    const { here } = await loadStepContext(deps, call);
    return await registerTaskToken(here, token);
  } catch (error) {
    await resumeTask(deps.executions, heldBy(token, call.state));
    throw error;
  }
}
