import type { FlowValue } from "../contract/flows/flow-value.ts";
import type { Definition } from "./asl.ts";
import { compileFlow } from "./compile.ts";
import { buildMachineName } from "./machine-name.ts";

/** Builds the state machine of a flow at a path. `step`: ARN of the function that executes its steps; `stack`: name of the stack. */
export function buildFlowMachine(
  value: FlowValue,
  { step, ...place }: { step: string; stack: string; workspace: string; path: string },
): { name: string; spare: string; definition: Definition } {
  const definition = compileFlow(value, { step, title: `${place.workspace} ${place.path}` });
  return {
    name: buildMachineName(place, definition),
    spare: buildMachineName(place, definition, { spare: true }),
    definition,
  };
}
