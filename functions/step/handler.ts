import type { Context } from "aws-lambda";
import { type StepState, stepCallSchema } from "../../core/flows/step-call.ts";
import { runTask } from "../../services/flows/runtime/run-task.ts";
import { handleCall } from "../shared/messages.ts";
import { workerDeps } from "../shared/worker-deps.ts";

const deps = workerDeps("step");

/** One state of a flow's machine. What it throws is written down before: the machine goes on where failures go. */
export async function handler(event: unknown, context: Context): Promise<StepState> {
  const call = stepCallSchema.parse(event);
  const what = { flow: call.state.j, n: call.state.n, ...("module" in call ? { module: call.module, at: call.state.at } : {}) };
  return handleCall([], () => runTask(deps, call), context, what);
}
