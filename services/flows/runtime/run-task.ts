import { ROOT } from "../../../core/flows/scopes.ts";
import type { FlowState, ModuleCall, StepCall } from "../../../core/flows/step-call.ts";
import type { Working } from "../../execution/run-job.ts";
import { finishFlow } from "../lifecycle/finish.ts";
import { takeModule } from "./execute-module.ts";
import { arrive } from "./load-step-context.ts";
import { holdFor } from "./modules/subflow.ts";
import { goOnFrom, heldBy } from "./resume-parent-task.ts";
import { walkSegment } from "./segments/run-segment.ts";
import type { Here } from "./step-context.ts";

/**
 * One state of a flow's machine. What was done here before is found in the journal and answered at once: a lost call, a restarted engine, a
 * continued loop and a redrive are the same thing. Throws `StepFailed` where the machine has no other way to learn of a failure.
 */
export async function takeStep(working: Working, call: StepCall): Promise<FlowState> {
  if ("finish" in call) return finishFlow(working, call.state);
  if ("segment" in call) return walkSegment(working, call);
  if (call.token !== undefined) return hold(working, call, call.token);
  const { here, found } = await arrive(working, call);
  const state = await takeModule(here, found);
  if (state.o === "next" && isFlowsLast(here)) await endAhead(working, state);
  return state;
}

const isFlowsLast = ({ module, scope }: Here) => scope.name === ROOT && scope.modules.at(-1)?.id === module.id;

/** With its last step the flow has ended, and who waits for it need not wait for the machine's last state. That one does what could not be done here. */
async function endAhead(working: Working, state: FlowState): Promise<void> {
  await finishFlow(working, state).catch(() => undefined);
}

/** Where nothing is to be waited for, the token is sent at once: not every engine looks at what a function throws that has one. */
async function hold(working: Working, call: ModuleCall, token: string): Promise<FlowState> {
  try {
    const { here } = await arrive(working, call);
    return await holdFor(here, token);
  } catch (error) {
    await goOnFrom(working.executions, heldBy(token, call.state));
    throw error;
  }
}
