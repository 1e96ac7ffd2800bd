import type { FlowValue } from "../contract/flows/flow-value.ts";
import type { Definition } from "./asl.ts";
import { compile } from "./compile.ts";
import { machineName } from "./name.ts";

/** The state machine of a flow at a path. `step`: ARN of the function that carries out its steps. */
export function flowMachine(
  value: FlowValue,
  { step, workspace, path }: { step: string; workspace: string; path: string },
): { name: string; spare: string; definition: Definition } {
  const definition = compile(value, { step, title: `${workspace} ${path}` });
  return { name: machineName(workspace, path, definition), spare: machineName(workspace, path, definition, { spare: true }), definition };
}
