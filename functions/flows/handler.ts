import { executions } from "../../aws/stepfunctions/executions.ts";
import { env, requireEnv } from "../../contract/env.ts";
import { type MachineAnswer, machineRequestSchema } from "../../core/flows/version.ts";
import { makeMachine } from "../../services/flows/definitions/compile-machine.ts";
import { logger } from "../shared/edge.ts";

const making = { executions, step: requireEnv(env.stepFunction), role: requireEnv(env.machineRole), stack: requireEnv(env.stack) };

/** Makes state machines, alone in that right. */
export async function handler(event: unknown): Promise<MachineAnswer> {
  const request = machineRequestSchema.parse(event);
  const made = await makeMachine(making, request);
  logger.info("machine", { workspace: request.workspace, path: request.path, ...made });
  return made;
}
