import type { FlowModule } from "../contract/flow-value.ts";
import { bodyScope, isParallel, modulesOf } from "../core/flows/scopes.ts";
import { type Context, END, type Target } from "./machine.ts";

/**
 * Iterations one after the other: the task names the next one, its body leads back to the task. Parallel ones come in rounds of a Map.
 * Where the history grows long the task asks for another execution, which goes on from the journal.
 */
export function forLoop(context: Context, module: FlowModule, task: string): Record<string, Target> {
  return isParallel(module) ? rounds(context, module, task) : oneByOne(context, module, task);
}

export const whileLoop = oneByOne;

function oneByOne(context: Context, module: FlowModule, task: string): Record<string, Target> {
  const scope = bodyScope(module.id);
  return {
    iterate: context.list({ ...context, scope }, modulesOf(module), { next: task, stop: task, fail: task }),
    again: context.machine.again,
  };
}

function rounds(context: Context, module: FlowModule, task: string): Record<string, Target> {
  const { machine } = context;
  const inner = machine.inner();
  const scope = bodyScope(module.id);
  const start = context.list({ ...context, machine: inner, scope }, modulesOf(module), { next: END, stop: END, fail: END });
  const name = machine.name(`${module.id} iterations`);
  machine.add(name, {
    Type: "Map",
    // Indices: what is iterated over stands in the journal.
    ItemsPath: "$.list",
    ItemSelector: {
      "w.$": "$.w",
      "j.$": "$.j",
      "n.$": "$.n",
      "e.$": "$.e",
      "at.$": "States.Format('{}{}.', $.at, $$.Map.Item.Value)",
    },
    // Rounds are as large as may run at once.
    MaxConcurrency: 0,
    ItemProcessor: { ProcessorConfig: { Mode: "INLINE" }, ...inner.definition(start) },
    ResultPath: null,
    Catch: [machine.catcher(task)],
    Next: task,
  });
  return { map: name, again: machine.again };
}
