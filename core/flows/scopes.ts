import type { FlowModule, FlowValue } from "../../contract/flows/flow-value.ts";

/** The name of a list of modules in the journal: the flow itself, the body of a loop, or a branch. */
export type ScopeName = string;
export const ROOT: ScopeName = "";
/** Returns the name of a loop's body. */
export const bodyScope = (loop: string): ScopeName => `${loop}.body`;
/** Returns the name of a branch, by its index or `default`. */
export const branchScope = (id: string, branch: number | string): ScopeName => `${id}.${branch}`;
/** The branch that runs if no condition is true. */
export const DEFAULT = "default";

type Kind = FlowModule["value"]["type"];
const LOOPS: ReadonlySet<Kind> = new Set<Kind>(["forloopflow", "whileloopflow"]);
const CONTAINERS: ReadonlySet<Kind> = new Set<Kind>([...LOOPS, "branchone", "branchall"]);

/** Returns whether a module is a loop. */
export const isLoop = ({ value }: FlowModule) => LOOPS.has(value.type);
/** Returns whether a module contains other modules. */
export const isContainer = ({ value }: FlowModule) => CONTAINERS.has(value.type);
/**
 * Returns whether the iterations or branches of a module run in parallel. The result of an iteration ends a while loop, so its iterations
 * are always sequential.
 */
export const isParallel = ({ value }: FlowModule) =>
  (value.type === "forloopflow" || value.type === "branchall") && value.parallel === true;

/** Returns whether nothing else runs in the flow while a module of this list runs. */
export const runsAlone = ({ of }: Scope): boolean => of === undefined || (!isParallel(of.module) && runsAlone(of.scope));

/** Returns the body of a loop. Empty for other modules. */
export function listBodyModules({ value }: FlowModule): readonly FlowModule[] {
  return value.type === "forloopflow" || value.type === "whileloopflow" ? value.modules : [];
}

/** Returns whether a module may require approval after it has run. */
export const mayRequireApproval = ({ value, suspend }: FlowModule) => value.type === "consentgate" || (suspend?.required_events ?? 0) > 0;

/** Returns whether the state of a module waits for a task token, which resumes it. */
export const waitsForTaskToken = (module: FlowModule) => mayRequireApproval(module) || module.value.type === "flow";

/** Returns whether a module has no outcomes except success and failure, so that its state needs no choice. */
export function isPlain(module: FlowModule): boolean {
  const { retry, stop_after_if, stop_after_all_iters_if, sleep } = module;
  return !isContainer(module) && !waitsForTaskToken(module) && !retry && !stop_after_if && !stop_after_all_iters_if && !sleep;
}

/** A list of modules and its position in the flow. */
export interface Scope {
  name: ScopeName;
  modules: readonly FlowModule[];
  /** The module that contains the list, and the list of that module. */
  of?: { module: FlowModule; scope: Scope };
  /** The enclosing loops, outermost first. The path of an iteration has one index for each. */
  loops: readonly string[];
  /** All enclosing modules. */
  inside: readonly string[];
}

export interface ModulePosition {
  module: FlowModule;
  scope: Scope;
  /** The index in its list. -1 for the failure module and the preprocessor. */
  index: number;
}

/** Every list and every module of a flow, by name. */
export interface FlowIndex {
  scopes: ReadonlyMap<ScopeName, Scope>;
  modules: ReadonlyMap<string, ModulePosition>;
}

/** Indexes all lists and modules of a flow by name. */
export function indexFlow(value: FlowValue): FlowIndex {
  const scopes = new Map<ScopeName, Scope>();
  const modules = new Map<string, ModulePosition>();
  const enter = (scope: Scope) => {
    scopes.set(scope.name, scope);
    for (const [index, module] of scope.modules.entries()) {
      modules.set(module.id, { module, scope, index });
      for (const inner of listInnerScopes(module, scope)) enter(inner);
    }
  };
  const root: Scope = { name: ROOT, modules: value.modules, loops: [], inside: [] };
  enter(root);
  for (const module of [value.failure_module, value.preprocessor_module]) {
    if (module) modules.set(module.id, { module, scope: root, index: -1 });
  }
  return { scopes, modules };
}

/** Returns the lists inside a module. */
export function listInnerScopes(module: FlowModule, scope: Scope): Scope[] {
  const { id, value } = module;
  const inner = { of: { module, scope }, loops: scope.loops, inside: [...scope.inside, id] };
  switch (value.type) {
    case "forloopflow":
    case "whileloopflow":
      return [{ ...inner, name: bodyScope(id), modules: value.modules, loops: [...scope.loops, id] }];
    case "branchone":
      return [
        ...value.branches.map(({ modules }, index) => ({ ...inner, name: branchScope(id, index), modules })),
        { ...inner, name: branchScope(id, DEFAULT), modules: value.default ?? [] },
      ];
    case "branchall":
      return value.branches.map(({ modules }, index) => ({ ...inner, name: branchScope(id, index), modules }));
    default:
      return [];
  }
}

/** Returns the modules of a list and all modules nested in them, in document order. */
export function listNestedModules(modules: readonly FlowModule[]): FlowModule[] {
  const inside = (scope: Scope): FlowModule[] =>
    scope.modules.flatMap((module) => [module, ...listInnerScopes(module, scope).flatMap(inside)]);
  return inside({ name: ROOT, modules, loops: [], inside: [] });
}
