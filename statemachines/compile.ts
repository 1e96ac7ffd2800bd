import type { FlowValue } from "../contract/flow-value.ts";
import { ROOT } from "../core/flows/scopes.ts";
import type { Definition } from "./asl.ts";
import { END, Machine, type Target } from "./machine.ts";
import { moduleStates, modulesStates } from "./modules.ts";

/**
 * A flow's state machine. It depends on how the flow is built alone, and not on its code, expressions or version: those are read by function
 * `step` for the job that the input names, `{w: workspace, j: job, n: number of the execution, e: events so far, at: ""}`.
 */
export function compile(value: FlowValue, { step, title }: { step: string; title: string }): Definition {
  const machine = new Machine(step, "finish");
  const finish = machine.task(machine.name("finish"), { finish: "flow" }, { next: END, comment: "Writes down how the flow has ended" });
  const context = { machine, scope: ROOT, value, list: modulesStates };
  const first = modulesStates(context, value.modules, { next: finish, stop: finish, fail: finish });
  const start: Target = value.preprocessor_module
    ? moduleStates(context, value.preprocessor_module, { next: first, stop: finish, fail: finish })
    : first;
  return machine.definition(start, title);
}
