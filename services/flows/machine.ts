import type { Executions } from "../../aws/executions.ts";
import type { MachineRequest } from "../../core/flows/version.ts";
import { compile, machineName } from "../../statemachines/compile.ts";

export interface Making {
  executions: Pick<Executions, "make">;
  /** ARN of the function that carries out steps, and of the role that may call it. */
  step: string;
  role: string;
}

/** The flow's state machine, made unless it is there. Answers its name. */
export async function makeMachine({ executions, step, role }: Making, { workspace, path, value }: MachineRequest): Promise<string> {
  const definition = compile(value, { step, title: `${workspace} ${path}` });
  const name = machineName(workspace, path, definition);
  await executions.make(name, JSON.stringify(definition), role, { "svc:workspace": workspace, "svc:path": path });
  return name;
}
