import type { FlowModule, FlowValue } from "../../contract/flows/flow-value.ts";
import { findScopePath } from "./journal.ts";
import { ROOT, type Scope, type ScopeName } from "./scopes.ts";

/** Modules of one list that one task of the state machine runs: neighbours with `segment: true`, or a whole flow with `same_worker`. */
export interface SegmentGroup {
  modules: readonly FlowModule[];
  segment: boolean;
}

/** Groups the modules of a list into those that run in one task and those with a separate task. */
export function groupSegments(value: Pick<FlowValue, "same_worker">, scope: ScopeName, modules: readonly FlowModule[]): SegmentGroup[] {
  const together = value.same_worker === true && scope === ROOT;
  const groups: { modules: FlowModule[]; segment: boolean }[] = [];
  for (const module of modules) {
    const segment = together || module.segment === true;
    const last = groups.at(-1);
    if (segment && last?.segment) last.modules.push(module);
    else groups.push({ modules: [module], segment });
  }
  return groups;
}

/**
 * Returns the name of the folder `./shared` of a module: one for a flow with `same_worker`, otherwise one for the segments of a list.
 * `undefined` if the module shares no folder.
 */
export function findSharedFolder(value: Pick<FlowValue, "same_worker">, module: FlowModule, scope: Scope, at: string): string | undefined {
  if (value.same_worker) return "";
  let folder: string | undefined;
  for (
    let [inner, list]: [FlowModule, Scope | undefined] = [module, scope];
    list;
    [inner, list] = [list.of?.module ?? inner, list.of?.scope]
  ) {
    if (inner.segment) folder = `${list.name}@${findScopePath(list, at)}`;
  }
  return folder;
}
