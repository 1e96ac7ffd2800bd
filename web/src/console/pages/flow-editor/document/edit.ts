import type { FlowValue, Module } from "./flow-document.ts";
import { freshId, type IdProblem, idProblem, RESERVED } from "./fresh-id.ts";
import { findStep, type ListRef, listIds, mapModule, mapSteps, modulesOf, type Position, replaceList, walk } from "./lists.ts";
import { listExpressions, mayNameOtherwise, renameInFields, renameInModule } from "./rename-references.ts";

export const idsOf = (value: FlowValue): Set<string> => new Set([...walk(value)].map(({ module }) => module.id));
const asideId = ({ owner, list }: ListRef): string | undefined =>
  owner === undefined && list !== "modules" ? list.replace("_module", "") : undefined;

/** Inserts steps at a position. An id that the flow has is replaced by a fresh one, with the references among the new steps. */
export function addSteps(value: FlowValue, { list, index }: Position, modules: readonly Module[]): { value: FlowValue; ids: string[] } {
  const fresh = withFreshIds(modules, idsOf(value), asideId(list));
  const isAside = asideId(list) !== undefined;
  const next = isAside ? fresh.slice(0, 1) : modulesOf(value, list).toSpliced(index, 0, ...fresh);
  return { value: replaceList(value, list, next), ids: (isAside ? fresh.slice(0, 1) : fresh).map(({ id }) => id) };
}

function withFreshIds(modules: readonly Module[], existing: ReadonlySet<string>, reserved: string | undefined): Module[] {
  const taken = new Set(existing);
  const renamed = new Map<string, string>();
  for (const [index, module] of modules.entries()) {
    for (const id of listIds([module])) {
      const isFirst = index === 0 && id === module.id;
      const next = isFirst && reserved !== undefined ? reserved : id === "" || taken.has(id) || RESERVED.includes(id) ? freshId(taken) : id;
      if (next !== id) renamed.set(id, next);
      taken.add(next);
    }
  }
  if (renamed.size === 0) return [...modules];
  return modules.map((module) => mapModule(module, (each) => ({ ...renameInModule(each, renamed), id: renamed.get(each.id) ?? each.id })));
}

/** Removes a step with the steps inside it. References to it remain, and mean `null`. */
export function removeStep(value: FlowValue, id: string): FlowValue {
  const placed = findStep(value, id);
  return placed ? replaceList(value, placed.list, modulesOf(value, placed.list).toSpliced(placed.index, 1)) : value;
}

/** Returns whether a step can be moved to a position: not into itself, and not beside the handler of failures. */
export function canMove(value: FlowValue, id: string, { list }: Position): boolean {
  const placed = findStep(value, id);
  if (!placed || RESERVED.includes(id) || asideId(list) !== undefined) return false;
  return list.owner === undefined || !listIds([placed.module]).includes(list.owner);
}

/** Moves a step with the steps inside it. `index` counts the steps of the list before the move. */
export function moveStep(value: FlowValue, id: string, position: Position): FlowValue {
  const placed = findStep(value, id);
  if (!placed || !canMove(value, id, position)) return value;
  const { list, index } = position;
  const isSameList = placed.list.owner === list.owner && placed.list.list === list.list;
  const at = isSameList && placed.index < index ? index - 1 : index;
  if (isSameList && at === placed.index) return value;
  const without = removeStep(value, id);
  return replaceList(without, list, modulesOf(without, list).toSpliced(at, 0, placed.module));
}

/** Returns why a step cannot have another id. */
export function renameProblem(value: FlowValue, id: string, next: string): IdProblem | undefined {
  const taken = idsOf(value);
  taken.delete(id);
  return idProblem(next, taken);
}

/** Renames a step and each reference to it. The caller has checked the new id. */
export function renameStep(value: FlowValue, id: string, next: string): FlowValue {
  const renamed = new Map([[id, next]]);
  const rename = (module: Module) => {
    const changed = renameInModule(module, renamed);
    return module.id === id ? { ...changed, id: next } : changed;
  };
  return renameInFields(mapSteps(value, rename), renamed, new Set([...SETTINGS_SKIPPED]));
}
const SETTINGS_SKIPPED = ["modules", "failure_module", "preprocessor_module", "flow_env", "notes", "groups"];

/** Returns the steps that may read the result of a step in a way that does not follow a new id. */
export function listUnfollowed(value: FlowValue, id: string): string[] {
  const isUnfollowed = (expression: string) => mayNameOtherwise(expression, id);
  return [...walk(value)].flatMap(({ module }) => (listExpressions(module).some(isUnfollowed) ? [module.id] : []));
}

/** Returns the ids of the steps whose results a step can read: those before it, and before each step around it. */
export function stepsBefore(value: FlowValue, id: string): string[] {
  const placed = findStep(value, id);
  if (!placed) return [];
  if (placed.list.list === "preprocessor_module") return [];
  if (placed.list.list === "failure_module") return value.modules.map((module) => module.id);
  const around = placed.list.owner === undefined ? [] : stepsBefore(value, placed.list.owner);
  const inside = modulesOf(value, placed.list).slice(0, placed.index);
  // A finished branch shows its results to the steps after it; a loop shows only the array of its results.
  return [...around, ...inside.flatMap((module) => [...branchIds(module), module.id])];
}

function branchIds(module: Module): string[] {
  if (module.value.type !== "branchone" && module.value.type !== "branchall") return [];
  return listIds([module]).slice(1);
}

/** Finds the steps whose id, summary, path, code or expressions contain a text. */
export function findSteps(value: FlowValue, typed: string): string[] {
  const text = typed.trim().toLowerCase();
  if (text === "") return [];
  return [...walk(value)].flatMap(({ module }) => (textsOf(module).some((field) => field.toLowerCase().includes(text)) ? [module.id] : []));
}

const INNER = new Set(["modules", "default", "lock"]);
function textsOf(part: unknown): string[] {
  if (typeof part === "string") return [part];
  if (typeof part !== "object" || part === null) return [];
  return Object.entries(part).flatMap(([name, each]) => (INNER.has(name) ? [] : textsOf(each)));
}
