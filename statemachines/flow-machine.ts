import type { FlowValue } from "../contract/flows/flow-value.ts";
import type { Definition } from "./asl.ts";
import { compileFlow } from "./compile.ts";
import { buildMachineName } from "./machine-name.ts";

/** Builds the state machine of a flow at a path. `step`: ARN of the function that executes its steps. */
export function buildFlowMachine(
  value: FlowValue,
  { step, workspace, path }: { step: string; workspace: string; path: string },
): { name: string; spare: string; definition: Definition } {
  const definition = compileFlow(value, { step, title: `${workspace} ${path}` });
  return {
    name: buildMachineName(workspace, path, definition),
    spare: buildMachineName(workspace, path, definition, { spare: true }),
    definition,
  };
}
