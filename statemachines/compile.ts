import type { FlowValue } from "../contract/flows/flow-value.ts";
import { ROOT } from "../core/flows/scopes.ts";
import type { Definition } from "./asl.ts";
import { END, Machine, type Target } from "./machine.ts";
import { compileModule, compileModules } from "./modules.ts";

/** The last state of each machine. */
const FINISH = "finish flow";

/**
 * Compiles a flow to a state machine. The machine depends only on the structure of the flow, not on its code, expressions or version: function `step` reads
 * those for the job that the input names (core/flows/step-call.ts).
 */
export function compileFlow(value: FlowValue, { step, title }: { step: string; title: string }): Definition {
  const machine = new Machine(step, FINISH);
  const finish = machine.addTask(machine.reserveName(FINISH), { finish: "flow" }, { next: END, comment: "Records how the flow ended" });
  const context = { machine, scope: ROOT, value, list: compileModules };
  const first = compileModules(context, value.modules, { next: finish, stop: finish, fail: finish });
  const start: Target = value.preprocessor_module
    ? compileModule(context, value.preprocessor_module, { next: first, stop: finish, fail: finish })
    : first;
  return machine.definition(start, title);
}
