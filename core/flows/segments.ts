import type { FlowModule, FlowValue } from "../../contract/flow-value.ts";
import { ROOT, type ScopeName } from "./scopes.ts";

/** Modules of one list that one task of the state machine runs: neighbours with `segment: true`, or a whole flow with `same_worker`. */
export interface Stretch {
  modules: readonly FlowModule[];
  segment: boolean;
}

export function stretchesOf(value: Pick<FlowValue, "same_worker">, scope: ScopeName, modules: readonly FlowModule[]): Stretch[] {
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
