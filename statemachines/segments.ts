import type { FlowModule } from "../contract/flow-value.ts";
import { waitsForOthers, withInner } from "../core/flows/scopes.ts";
import type { Context, Targets } from "./machine.ts";

const COMMENT_CHARS = 200;

/**
 * Several modules in one task. It is asked again, and goes on where it was, after a pause, when a flow that one of them calls has ended, and when the
 * time of its function was over.
 */
export function segmentStates({ machine, scope }: Context, modules: readonly FlowModule[], to: Targets): string {
  const [first = "", last = ""] = [modules[0]?.id, modules.at(-1)?.id];
  const title = first === last ? `${first} segment` : `${first} to ${last}`;
  const name = machine.name(title);
  const decide = machine.name(`${title} what next`);
  const comment = `segment: ${modules.map(({ id }) => id).join(", ")}`.slice(0, COMMENT_CHARS);
  machine.task(name, { segment: first, until: last, scope }, { next: decide, fail: to.fail, answers: true, comment });
  const waiting = { "module.$": "$.m", "scope.$": "$.c" };
  machine.choice(
    decide,
    {
      fail: to.fail,
      stop: to.stop,
      more: name,
      pause: machine.wait(machine.name(`${title} pause`), name),
      ...(withInner(modules).some(waitsForOthers)
        ? { wait: machine.hold(machine.name(`${title} until it may go on`), waiting, name) }
        : {}),
      again: machine.again,
    },
    to.next,
  );
  return name;
}
