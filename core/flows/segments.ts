import type { FlowModule, FlowValue } from "../../contract/flows/flow-value.ts";
import { findScopePath } from "./journal.ts";
import { ROOT, type Scope, type ScopeName } from "./scopes.ts";

/** Modules of one list that one task of the state machine runs: neighbours with `segment: true`, or a whole flow with `same_worker`. */
export interface SegmentGroup {
  modules: readonly FlowModule[];
  segment: boolean;
}

export function groupSegments(value: Pick<FlowValue, "same_worker">, scope: ScopeName, modules: readonly FlowModule[]): SegmentGroup[] {
  const together = value.same_worker === true && scope === ROOT;
  const stretches: { modules: FlowModule[]; segment: boolean }[] = [];
  for (const module of modules) {
    const segment = together || module.segment === true;
    const last = stretches.at(-1);
    if (segment && last?.segment) last.modules.push(module);
    else stretches.push({ modules: [module], segment });
  }
  return stretches;
}

/** The name of the folder `./shared` that a module has with others: one for a flow with `same_worker`, else one for the segments of a list. */
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
