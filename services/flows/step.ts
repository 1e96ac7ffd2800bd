import type { FlowState, ModuleCall, StepCall } from "../../core/flows/step-call.ts";
import type { Working } from "../jobs/work.ts";
import { arrive } from "./arrive.ts";
import { finishFlow } from "./finish.ts";
import { takeModule } from "./module.ts";
import { holdFor } from "./nested.ts";
import { walkSegment } from "./segment.ts";

/**
 * One state of a flow's machine. What was done here before is found in the journal and answered at once: a lost call, a restarted engine, a
 * continued loop and a redrive are the same thing. Throws `StepFailed` where the machine has no other way to learn of a failure.
 */
export async function takeStep(working: Working, call: StepCall): Promise<FlowState> {
  if ("finish" in call) return finishFlow(working, call.state);
  if ("segment" in call) return walkSegment(working, call);
  if (call.token !== undefined) return hold(working, call, call.token);
  const { here, found } = await arrive(working, call);
  return takeModule(here, found);
}

/** Where nothing is to be waited for, the token is sent at once: not every engine looks at what a function throws that has one. */
async function hold(working: Working, call: ModuleCall, token: string): Promise<FlowState> {
  try {
    const { here } = await arrive(working, call);
    return await holdFor(here, token);
  } catch (error) {
    await working.executions.resume(token);
    throw error;
  }
}
