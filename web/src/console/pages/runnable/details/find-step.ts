import type { FlowModule } from "../../../../../../contract/flows/flow-value.ts";

/** The steps inside a step: those of a loop or of all branches. */
function stepsInside({ value }: FlowModule): readonly FlowModule[] {
  switch (value.type) {
    case "forloopflow":
    case "whileloopflow":
      return value.modules;
    case "branchone":
      return [...value.branches.flatMap(({ modules }) => modules), ...(value.default ?? [])];
    case "branchall":
      return value.branches.flatMap(({ modules }) => modules);
    default:
      return [];
  }
}

/** Returns the step with an id, at any depth. */
export function findStep(modules: readonly FlowModule[], id: string | undefined): FlowModule | undefined {
  for (const module of modules) {
    const found = module.id === id ? module : findStep(stepsInside(module), id);
    if (found) return found;
  }
  return undefined;
}
