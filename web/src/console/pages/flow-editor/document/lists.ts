import type { FlowValue, Module } from "./flow-document.ts";

/** A list of steps inside a module: the body of a loop, a branch by its number, or the default branch. */
type InnerList = "modules" | "default" | number;
/** A list of steps in a flow. The handler of failures and the preprocessor are lists of at most one step. */
export type ListRef =
  | { readonly owner?: undefined; readonly list: "modules" | "failure_module" | "preprocessor_module" }
  | { readonly owner: string; readonly list: InnerList };

export const MAIN: ListRef = { list: "modules" };

/** The position of a step: its list, and its number in it. */
export interface Position {
  readonly list: ListRef;
  readonly index: number;
}

/** A step with its position. `depth`: the number of steps around it. */
export interface Placed extends Position {
  readonly module: Module;
  readonly depth: number;
}

interface Inner {
  readonly list: InnerList;
  readonly modules: readonly Module[];
}

const isList = (found: unknown): found is readonly Module[] => Array.isArray(found);
const hasBranches = (found: unknown): found is readonly { readonly modules: readonly Module[] }[] => Array.isArray(found);
const branchesOf = ({ value: { branches } }: Module & { readonly value: { readonly branches?: unknown } }) =>
  hasBranches(branches) ? branches : [];

/** Returns the lists inside a module. The fields decide, not the kind, so that an unknown kind with steps shows them. */
export function innerLists(module: Module): Inner[] {
  const { value } = module;
  return [
    ...(isList(value["modules"]) ? [{ list: "modules", modules: value["modules"] } as const] : []),
    ...branchesOf(module).map(({ modules }, list) => ({ list, modules: isList(modules) ? modules : [] })),
    ...(value.type === "branchone" || isList(value["default"])
      ? [{ list: "default", modules: isList(value["default"]) ? value["default"] : [] } as const]
      : []),
  ];
}

/** Returns a module with another list of steps inside. */
export function withInner(module: Module, list: InnerList, modules: readonly Module[]): Module {
  const { value } = module;
  if (typeof list !== "number") return { ...module, value: { ...value, [list]: modules } };
  const branches = branchesOf(module).map((branch, index) => (index === list ? { ...branch, modules } : branch));
  return { ...module, value: { ...value, branches } };
}

const asideOf = (value: FlowValue, list: ListRef["list"]): readonly Module[] => {
  const module = list === "failure_module" || list === "preprocessor_module" ? value[list] : undefined;
  return module ? [module] : [];
};

/** Lists every step in the order of the document: the preprocessor, the steps with those inside, and the failure handler. */
export function* walk(value: FlowValue): Generator<Placed> {
  yield* within(asideOf(value, "preprocessor_module"), { list: "preprocessor_module" }, 0);
  yield* within(value.modules, MAIN, 0);
  yield* within(asideOf(value, "failure_module"), { list: "failure_module" }, 0);
}

function* within(modules: readonly Module[], list: ListRef, depth: number): Generator<Placed> {
  for (const [index, module] of modules.entries()) {
    yield { module, list, index, depth };
    for (const inner of innerLists(module)) yield* within(inner.modules, { owner: module.id, list: inner.list }, depth + 1);
  }
}

/** Returns the ids of steps and of those inside them. */
export const listIds = (modules: readonly Module[]): string[] => [...within(modules, MAIN, 0)].map(({ module }) => module.id);

export function findStep(value: FlowValue, id: string): Placed | undefined {
  for (const placed of walk(value)) if (placed.module.id === id) return placed;
  return undefined;
}

/** Returns the steps around a step, the innermost one first. */
export function stepsAround(value: FlowValue, id: string): Module[] {
  const around: Module[] = [];
  let owner = findStep(value, id)?.list.owner;
  while (owner !== undefined) {
    const placed = findStep(value, owner);
    if (!placed) break;
    around.push(placed.module);
    owner = placed.list.owner;
  }
  return around;
}

export function modulesOf(value: FlowValue, { owner, list }: ListRef): readonly Module[] {
  if (owner === undefined) return list === "modules" ? value.modules : asideOf(value, list);
  const found = findStep(value, owner);
  return (found && innerLists(found.module).find((inner) => inner.list === list)?.modules) ?? [];
}

/** Returns a flow whose step with this id is replaced. Steps that do not change stay the same objects. */
export function replaceStep(value: FlowValue, id: string, change: (module: Module) => Module): FlowValue {
  const modules = replaceIn(value.modules, id, change);
  if (modules !== value.modules) return { ...value, modules };
  for (const list of ["failure_module", "preprocessor_module"] as const) {
    const before = asideOf(value, list);
    const [after] = replaceIn(before, id, change);
    if (after && after !== before[0]) return { ...value, [list]: after };
  }
  return value;
}

function replaceIn(modules: readonly Module[], id: string, change: (module: Module) => Module): readonly Module[] {
  for (const [index, module] of modules.entries()) {
    const after = module.id === id ? change(module) : replaceInside(module, id, change);
    if (after !== module) return modules.with(index, after);
  }
  return modules;
}

function replaceInside(module: Module, id: string, change: (module: Module) => Module): Module {
  for (const { list, modules } of innerLists(module)) {
    const after = replaceIn(modules, id, change);
    if (after !== modules) return withInner(module, list, after);
  }
  return module;
}

/** Returns a flow with another list of steps. Of the lists aside, the first step counts; an empty one removes the field. */
export function replaceList(value: FlowValue, { owner, list }: ListRef, modules: readonly Module[]): FlowValue {
  if (owner !== undefined) return replaceStep(value, owner, (module) => withInner(module, list, modules));
  if (list === "modules") return { ...value, modules };
  const { [list]: _, ...rest } = value;
  return (modules[0] ? { ...rest, [list]: modules[0] } : rest) as FlowValue;
}

/** Returns a module with each step inside changed, itself included. */
export function mapModule(module: Module, change: (module: Module) => Module): Module {
  let mapped = module;
  for (const { list, modules } of innerLists(module)) {
    const inner = modules.map((each) => mapModule(each, change));
    if (inner.some((each, index) => each !== modules[index])) mapped = withInner(mapped, list, inner);
  }
  return change(mapped);
}

/** Returns a flow with each step changed. Steps that do not change stay the same objects. */
export function mapSteps(value: FlowValue, change: (module: Module) => Module): FlowValue {
  const mapOne = (module: Module) => mapModule(module, change);
  const modules = value.modules.map(mapOne);
  const same = modules.every((module, index) => module === value.modules[index]);
  const aside = (["failure_module", "preprocessor_module"] as const).flatMap((list) => {
    const [before] = asideOf(value, list);
    const after = before && mapOne(before);
    return after && after !== before ? [[list, after] as const] : [];
  });
  return same && aside.length === 0 ? value : { ...value, modules: same ? value.modules : modules, ...Object.fromEntries(aside) };
}
