import type { FlowState, StepCall } from "../../core/flows/step-call.ts";
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
  const { here, found } = await arrive(working, call);
  return call.token === undefined ? takeModule(here, found) : holdFor(here, call.token);
}
