import type { FlowModule } from "../contract/flows/flow-value.ts";
import { staticWidth } from "../core/flows/parallelism.ts";
import { bodyScope, isParallel, listBodyModules } from "../core/flows/scopes.ts";
import { type Context, END, type Target } from "./machine.ts";

/**
 * Compiles a for loop. In a sequential loop, the task selects the next iteration, whose body leads back to the task. A parallel loop is a Map
 * state, which begins an iteration whenever one ends. Before the history becomes too long, the task leaves the rest to another execution, which
 * continues from the journal.
 */
export function compileForLoop(context: Context, module: FlowModule, task: string): Record<string, Target> {
  return isParallel(module) ? rounds(context, module, task) : oneByOne(context, module, task);
}

export const compileWhileLoop = oneByOne;

function oneByOne(context: Context, module: FlowModule, task: string): Record<string, Target> {
  const scope = bodyScope(module.id);
  return {
    iterate: context.list({ ...context, scope }, listBodyModules(module), { next: task, stop: task, fail: task }),
    again: context.machine.again,
  };
}

/** The number of iterations that run at once. The task returns it if an expression decides it. */
function limitIterations({ value }: FlowModule): { MaxConcurrency: number } | { MaxConcurrencyPath: string } {
  const width = value.type === "forloopflow" ? staticWidth(value) : undefined;
  return width === undefined ? { MaxConcurrencyPath: "$.width" } : { MaxConcurrency: width };
}

function rounds(context: Context, module: FlowModule, task: string): Record<string, Target> {
  const { machine } = context;
  const inner = machine.createInner();
  const scope = bodyScope(module.id);
  const start = context.list({ ...context, machine: inner, scope }, listBodyModules(module), { next: END, stop: END, fail: END });
  const name = machine.reserveName(`${module.id}: run items`);
  machine.addState(name, {
    Type: "Map",
    // Only indices: the list itself is in the journal.
    ItemsPath: "$.indices",
    ItemSelector: {
      "version.$": "$.version",
      "workspace.$": "$.workspace",
      "job.$": "$.job",
      "execution.$": "$.execution",
      "events.$": "$.events",
      "path.$": "States.Format('{}{}.', $.path, $$.Map.Item.Value)",
    },
    ...limitIterations(module),
    ItemProcessor: { ProcessorConfig: { Mode: "INLINE" }, ...inner.definition(start) },
    ResultPath: null,
    Catch: [machine.catcher(task)],
    Next: task,
  });
  return { map: name, again: machine.again };
}
