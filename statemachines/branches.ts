import type { FlowModule } from "../contract/flows/flow-value.ts";
import { branchScope, DEFAULT } from "../core/flows/scopes.ts";
import { type Context, END, type Target } from "./machine.ts";

type Value<T extends FlowModule["value"]["type"]> = Extract<FlowModule["value"], { type: T }>;

/** Compiles a `branchone`: the task chooses a branch, which leads back to the task. The task then finds the result of the branch. */
export function compileBranchOne(context: Context, { id, value }: FlowModule, task: string): Record<string, Target> {
  const { branches, default: otherwise } = value as Value<"branchone">;
  return {
    ...Object.fromEntries(branches.map(({ modules }, index) => [`branch ${index}`, branch(context, id, index, modules, task)])),
    [`branch ${DEFAULT}`]: branch(context, id, DEFAULT, otherwise ?? [], task),
  };
}

/** Compiles a `branchall`: one branch after another, with the task in between, or all branches in parallel. Before the history becomes too long, loops in parallel branches leave the rest to another execution. */
export function compileBranchAll(context: Context, { id, value }: FlowModule, task: string): Record<string, Target> {
  const { branches, parallel } = value as Value<"branchall">;
  if (!parallel) {
    return Object.fromEntries(branches.map(({ modules }, index) => [`branch ${index}`, branch(context, id, index, modules, task)]));
  }
  if (branches.length === 0) return {};
  const { machine } = context;
  const name = machine.reserveName(`${id}: run branches`);
  const Branches = branches.map(({ modules }, index) => {
    const inner = machine.createInner();
    const start = context.list({ ...context, machine: inner, scope: branchScope(id, index) }, modules, { next: END, stop: END, fail: END });
    return inner.definition(start);
  });
  return {
    parallel: machine.addState(name, { Type: "Parallel", Branches, ResultPath: null, Catch: [machine.catcher(task)], Next: task }),
    again: machine.again,
  };
}

function branch(context: Context, id: string, index: number | string, modules: readonly FlowModule[], task: string): Target {
  return context.list({ ...context, scope: branchScope(id, index) }, modules, { next: task, stop: task, fail: task });
}
