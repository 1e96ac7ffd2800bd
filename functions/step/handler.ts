import type { Context } from "aws-lambda";
import { parseStepCall, type StepState } from "../../core/flows/step-call.ts";
import { runTask } from "../../services/flows/runtime/run-task.ts";
import { handleCall } from "../shared/edge/messages.ts";
import { workerDeps } from "../shared/wiring/worker-deps.ts";

const deps = workerDeps("step");

/** Runs one state of a flow's machine. A failure is recorded before it is thrown; the machine then follows its error path. */
export async function handler(event: unknown, context: Context): Promise<StepState> {
  const call = parseStepCall(event);
  const work = {
    flow: call.state.job,
    execution: call.state.execution,
    ...("module" in call ? { module: call.module, path: call.state.path } : {}),
  };
  return handleCall([], () => runTask(deps, call), context, work);
}
