import type { FlowModule } from "../../contract/flow-value.ts";
import { isLoop, ROOT, scopesIn } from "./scopes.ts";

/** An execution's history may have 25,000 events; long before that another execution goes on with the flow. */
export const HISTORY_EVENTS = 8000;

/** A task and a choice, with room for a failure, a wait and a second attempt. */
const PER_MODULE = 20;

/** About how many events a list of modules makes when it runs once. Loops in it count their iterations themselves. */
export function eventsOf(modules: readonly FlowModule[]): number {
  return modules.reduce((sum, module) => {
    if (isLoop(module)) return sum + PER_MODULE;
    const inner = scopesIn(module, { name: ROOT, modules, loops: [], inside: [] });
    return sum + PER_MODULE + inner.reduce((all, scope) => all + eventsOf(scope.modules), 0);
  }, PER_MODULE);
}
