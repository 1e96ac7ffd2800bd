import { isJsonObject } from "../../../../../../../contract/json/json-object.ts";
import { addIteration } from "../../../../../../../core/expressions/iteration.ts";
import type { FlowValue, Module } from "../../document/flow-document.ts";
import { findStep, modulesOf } from "../../document/lists.ts";
import { isApproval } from "./preview-flow.ts";
import { readSimpleValue } from "./simple-value.ts";

type Values = Readonly<Record<string, unknown>>;

/** Values that the last runs of a flow have stored. */
export interface LastValues {
  /** The inputs of the flow. */
  inputs: Values;
  results: Values;
  /** The numbers of iterations, from 0, that the editor shows, by the ids of their loops. */
  iterations: ReadonlyMap<string, number>;
}

/** Returns the values of the names that expressions of a step can read. A name whose value the last runs do not show is absent. */
export function listStepNames(flow: FlowValue, id: string, last: LastValues): Values {
  const placed = findStep(flow, id);
  const { inputs, results } = last;
  const always = { results, flow_env: flow["flow_env"] ?? {} };
  if (!placed || placed.list.list === "preprocessor_module") return { ...always, flow_input: inputs };
  if (placed.list.list === "failure_module") return { ...always, flow_input: inputs, ...failureNames(flow, results) };
  const flow_input = inputOf(flow, placed.list.owner, last);
  const before = modulesOf(flow, placed.list)[placed.index - 1];
  return {
    ...always,
    flow_input,
    ...(before && isApproval(before) ? {} : { resume: null, resumes: [], approvers: [] }),
    ...previousNames(before, flow_input, results),
  };
}

/** The first step of a list reads the input of the list as its previous result. */
function previousNames(before: Module | undefined, input: Values, results: Values): Values {
  if (before && !Object.hasOwn(results, before.id)) return {};
  const previous = before ? results[before.id] : input;
  return { previous_result: previous, error: errorOf(previous) ?? null };
}

/** The handler of failures reads the error of the step that failed last. */
function failureNames({ modules }: FlowValue, results: Values): Values {
  const failed = modules
    .map(({ id }) => (Object.hasOwn(results, id) ? lastOf(results[id]) : undefined))
    .findLast((result) => errorOf(result) !== undefined);
  return failed === undefined ? {} : { previous_result: failed, error: errorOf(failed) };
}

/** The last result of a loop is the error that ended it. */
const lastOf = (result: unknown) => (Array.isArray(result) ? (result.at(-1) as unknown) : result);
const errorOf = (result: unknown): unknown => (isJsonObject(result) ? result["error"] : undefined);

/** The input of a list: that of the flow, with the iterations of the loops around it. */
function inputOf(flow: FlowValue, owner: string | undefined, last: LastValues): Values {
  const around = owner === undefined ? undefined : findStep(flow, owner);
  if (!around) return last.inputs;
  const { module, list } = around;
  const input = inputOf(flow, list.owner, last);
  const shown = last.iterations.get(module.id);
  if (module.value.type === "whileloopflow") return addIteration(input, { index: shown ?? 0, value: shown ?? 0 });
  if (module.value.type !== "forloopflow") return input;
  const found = readSimpleValue(module.value["iterator"], listStepNames(flow, module.id, last))?.value;
  const items: unknown[] = Array.isArray(found) ? found : [];
  const index = shown ?? Math.max(0, items.length - 1);
  // Without its value, the iteration still hides the one of an outer loop.
  return addIteration(input, index in items ? { index, value: items[index] } : { index });
}
