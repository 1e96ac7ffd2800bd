import { isJsonObject } from "../../../../../../../contract/json/json-object.ts";
import type { FlowValue, Module } from "../../document/flow-document.ts";
import { findStep, innerLists, modulesOf, stepsAround, withInner } from "../../document/lists.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The options of a step that a test of this step alone keeps. The others depend on the flow around it, or would hide the result. */
const KEPT_OPTIONS = ["id", "summary", "value", "timeout"];

/** Returns a flow that runs one step with constants as its inputs. Without `inputs`, its own inputs stay. */
export function toStepFlow(flow: FlowValue, module: Module, inputs?: Fields): FlowValue {
  const {
    modules: _,
    failure_module: _failure,
    preprocessor_module: _preprocessor,
    early_return: _return,
    skip_expr: _skip,
    ...settings
  } = flow;
  const kept = Object.fromEntries(Object.entries(module).filter(([name]) => KEPT_OPTIONS.includes(name)));
  const constants = inputs && Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, { type: "static", value }]));
  const value = constants ? { ...module.value, input_transforms: constants } : module.value;
  // A failure handler and a preprocessor run like any other step here, under an id that is not reserved.
  const id = ["failure", "preprocessor"].includes(module.id) ? `test_${module.id}` : module.id;
  return { ...settings, modules: [{ ...kept, id, value }] } as FlowValue;
}

/** Returns the flow without the steps after one, in its list and in the lists around it. Undefined: it does not contain the step. */
export function cutAfter(flow: FlowValue, id: string): FlowValue | undefined {
  const { early_return: earlyReturn, ...rest } = flow;
  const modules = cutList(flow.modules, id);
  if (!modules) return undefined;
  const isThere = modules.some((module) => module.id === earlyReturn);
  return isThere ? { ...flow, modules } : { ...rest, modules };
}

function cutList(modules: readonly Module[], id: string): Module[] | undefined {
  for (const [index, module] of modules.entries()) {
    const cut = module.id === id ? module : cutInside(module, id);
    if (cut) return [...modules.slice(0, index), cut];
  }
  return undefined;
}

function cutInside(module: Module, id: string): Module | undefined {
  for (const { list, modules } of innerLists(module)) {
    const cut = cutList(modules, id);
    if (cut) return withInner(module, list, cut);
  }
  return undefined;
}

/** The values that a step can read besides results: those of the loops around it, and of an approval directly before it. */
export interface Surroundings {
  loops: number;
  afterApproval: boolean;
}

/** Returns whether the flow waits for a decision after a step. */
export function isApproval(module: Module): boolean {
  const suspend = module["suspend"];
  const waits = isJsonObject(suspend) && Number(suspend["required_events"] ?? 0) > 0;
  return waits || module.value.type === "consentgate";
}

/** Finds the surroundings of a step. */
export function findSurroundings(value: FlowValue, id: string): Surroundings | undefined {
  const placed = findStep(value, id);
  if (!placed) return undefined;
  const previous = modulesOf(value, placed.list)[placed.index - 1];
  return {
    loops: stepsAround(value, id).filter((module) => ["forloopflow", "whileloopflow"].includes(module.value.type)).length,
    afterApproval: previous !== undefined && isApproval(previous),
  };
}
