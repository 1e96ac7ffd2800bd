import type { FlowModule, FlowValue } from "../../contract/flows/flow-value.ts";

/** A list of modules that runs as one: the flow itself, a loop's body, a branch. It has its name in the journal. */
export type ScopeName = string;
export const ROOT: ScopeName = "";
export const bodyScope = (loop: string): ScopeName => `${loop}.body`;
export const branchScope = (id: string, branch: number | string): ScopeName => `${id}.${branch}`;
/** The branch that is taken where no other one is. */
export const DEFAULT = "default";

type Kind = FlowModule["value"]["type"];
const LOOPS: ReadonlySet<Kind> = new Set<Kind>(["forloopflow", "whileloopflow"]);
const CONTAINERS: ReadonlySet<Kind> = new Set<Kind>([...LOOPS, "branchone", "branchall"]);

export const isLoop = ({ value }: FlowModule) => LOOPS.has(value.type);
export const isContainer = ({ value }: FlowModule) => CONTAINERS.has(value.type);
/** While loops end by what an iteration yields: their iterations follow one another whatever they say. */
export const isParallel = ({ value }: FlowModule) =>
  (value.type === "forloopflow" || value.type === "branchall") && value.parallel === true;

/** A loop's body; of other modules nothing. */
export function listBodyModules({ value }: FlowModule): readonly FlowModule[] {
  return value.type === "forloopflow" || value.type === "whileloopflow" ? value.modules : [];
}

/** What comes of it waits for somebody to say so. */
export const mayRequireApproval = ({ value, suspend }: FlowModule) => value.type === "consentgate" || (suspend?.required_events ?? 0) > 0;

/** Its state lets go of the function, and goes on when it is told to. */
export const waitsForTaskToken = (module: FlowModule) => mayRequireApproval(module) || module.value.type === "flow";

/** A module of which nothing comes but success, or failure: its state needs no choice behind it. */
export function isPlain(module: FlowModule): boolean {
  const { retry, stop_after_if, stop_after_all_iters_if, sleep } = module;
  return !isContainer(module) && !waitsForTaskToken(module) && !retry && !stop_after_if && !stop_after_all_iters_if && !sleep;
}

/** A list of modules, and where it stands. */
export interface Scope {
  name: ScopeName;
  modules: readonly FlowModule[];
  /** The module that it is a part of, and that one's own list. */
  of?: { module: FlowModule; scope: Scope };
  /** The loops around it, outermost first: an iteration's place is the index of each. */
  loops: readonly string[];
  /** All modules around it. */
  inside: readonly string[];
}

export interface ModulePosition {
  module: FlowModule;
  scope: Scope;
  /** In its list; -1 for the modules beside the others. */
  index: number;
}

/** Every list and every module of a flow, by name. */
export interface FlowIndex {
  scopes: ReadonlyMap<ScopeName, Scope>;
  modules: ReadonlyMap<string, ModulePosition>;
}

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

/** The lists that a module has inside. */
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

/** The modules of a list, and all that stand in them. */
export function listNestedModules(modules: readonly FlowModule[]): FlowModule[] {
  const inside = (scope: Scope): FlowModule[] =>
    scope.modules.flatMap((module) => [module, ...listInnerScopes(module, scope).flatMap(inside)]);
  return inside({ name: ROOT, modules, loops: [], inside: [] });
}
