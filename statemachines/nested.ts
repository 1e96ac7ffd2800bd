import type { FlowModule } from "../contract/flow-value.ts";
import type { Context, Target } from "./machine.ts";

/** Another flow is a job of its own, which says when it has ended; then the task looks at what came of it. */
export function nestedFlow({ machine, scope }: Context, { id }: FlowModule, task: string): Record<string, Target> {
  return { wait: machine.hold(machine.name(`${id} until it has ended`), { module: id, scope }, task) };
}
