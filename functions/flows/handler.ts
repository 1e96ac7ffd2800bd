import { stateMachines } from "../../aws/stepfunctions/state-machines.ts";
import { env, requireEnv } from "../../contract/env.ts";
import { type MachineAnswer, machineRequestSchema } from "../../core/flows/version.ts";
import { makeMachine } from "../../services/flows/definitions/compile-machine.ts";
import { observeHandler } from "../shared/observe.ts";

const deps = {
  stateMachines,
  stepFunction: requireEnv(env.stepFunction),
  machineRole: requireEnv(env.machineRole),
  stack: requireEnv(env.stack),
};

/** Creates state machines. No other function has this right. */
export const handler = observeHandler(
  "machine",
  (event: unknown): Promise<MachineAnswer> => makeMachine(deps, machineRequestSchema.parse(event)),
  (answer) => answer,
);
