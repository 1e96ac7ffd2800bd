import type { FlowModule } from "../contract/flows/flow-value.ts";
import { listNestedModules, waitsForTaskToken } from "../core/flows/scopes.ts";
import type { Context, Targets } from "./machine.ts";

const COMMENT_CHARS = 200;

/**
 * Compiles several modules to one task. The task is entered again, and continues from the journal, after a pause, when a flow or gate inside has
 * ended, and when the time limit of its function is near.
 */
export function compileSegment({ machine, scope }: Context, modules: readonly FlowModule[], to: Targets): string {
  const [first = "", last = ""] = [modules[0]?.id, modules.at(-1)?.id];
  const title = first === last ? `segment ${first}` : `segment ${first} to ${last}`;
  const name = machine.reserveName(title);
  const choice = machine.reserveName(`${title}: check outcome`);
  const comment = `segment: ${modules.map(({ id }) => id).join(", ")}`.slice(0, COMMENT_CHARS);
  machine.addTask(name, { segment: first, until: last, scope }, { next: choice, fail: to.fail, returnsState: true, comment });
  const waiting = { "module.$": "$.module", "scope.$": "$.scope" };
  machine.addChoice(
    choice,
    {
      fail: to.fail,
      stop: to.stop,
      more: name,
      pause: machine.addWait(machine.reserveName(`${title}: pause`), name),
      ...(listNestedModules(modules).some(waitsForTaskToken)
        ? { wait: machine.addWaitTask(machine.reserveName(`${title}: wait to continue`), waiting, name) }
        : {}),
      again: machine.again,
    },
    to.next,
  );
  return name;
}
