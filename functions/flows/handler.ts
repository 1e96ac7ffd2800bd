import { executions } from "../../aws/executions.ts";
import { env, requireEnv } from "../../contract/env.ts";
import { machineRequestSchema } from "../../core/flows/version.ts";
import { makeMachine } from "../../services/flows/machine.ts";
import { logger } from "../shared/edge.ts";

const making = { executions, step: requireEnv(env.stepFunction), role: requireEnv(env.machineRole) };

/** Makes state machines, alone in that right. */
export async function handler(event: unknown): Promise<{ machine: string }> {
  const request = machineRequestSchema.parse(event);
  const machine = await makeMachine(making, request);
  logger.info("machine", { workspace: request.workspace, path: request.path, machine });
  return { machine };
}
