import { isJsonObject } from "../../../../../../../contract/json/json-object.ts";
import { escapeReferences } from "../../../../../../../core/resources/references.ts";
import { Refused } from "../../../../../shared/service.ts";
import { call } from "../../../../data/api.ts";
import type { FlowValue, Module } from "../../document/flow-document.ts";
import { findStep } from "../../document/lists.ts";
import type { StepContext } from "../context.ts";
import { listLastRuns, loadResults } from "../inputs/value-picker.tsx";
import { findStepJob, selectArguments } from "./last-arguments.ts";
import { readSimpleValue, toArguments } from "./simple-value.ts";
import { listStepNames } from "./step-names.ts";

interface Tested {
  context: StepContext;
  flow: FlowValue;
  module: Module;
  iterations: ReadonlyMap<string, number>;
}

const PER_PAGE = 200;

/**
 * Returns the arguments with which a test of a step begins: constants, the values of plain expressions, and for other expressions what they had in
 * the last run of the step. No expression is run to find them.
 */
export async function loadArguments(
  { context, flow, module, iterations }: Tested,
  inputs: Record<string, unknown>,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const transforms = module.value["input_transforms"];
  if (!isJsonObject(transforms)) return {};
  // A result can come from a stranger. A text in it that looks like a reference must not read a secret.
  const results = escapeReferences(await loadResults(context, signal)) as Record<string, unknown>;
  const names = listStepNames(flow, module.id, { inputs, results, iterations });
  const prefersRan = context.loops > 0;
  const isComplete = Object.values(transforms).every((transform) => readSimpleValue(transform, { ...names, params: {} }) !== undefined);
  const ran = isComplete && !prefersRan ? {} : await loadRanArguments({ context, flow, module, iterations }, signal);
  return toArguments(transforms, { names, ran, prefersRan });
}

/** Loads the arguments of the newest run of the step that had one of its expressions. */
async function loadRanArguments({ context, flow, module, iterations }: Tested, signal: AbortSignal): Promise<Record<string, unknown>> {
  const { workspace } = context;
  for (const id of await listLastRuns(context, signal)) {
    try {
      const job = await findStepJob(flow, module.id, iterations, (under) =>
        call.jobs.getFlowOutline({ workspace, id, query: { under, per_page: PER_PAGE }, signal }),
      );
      if (job === undefined) continue;
      const [{ raw_flow: ran }, args] = await Promise.all([
        call.jobs.get({ workspace, id, query: { no_logs: true }, signal }),
        call.jobs.getArgs({ workspace, id: job, signal }),
      ]);
      const before = ran && findStep(ran as FlowValue, module.id)?.module.value["input_transforms"];
      const found = selectArguments(module.value["input_transforms"], before, args);
      if (Object.keys(found).length > 0) return found;
    } catch (error) {
      // A run that was erased, or that the person may not see.
      if (!(error instanceof Refused) || ![403, 404].includes(error.status)) throw error;
    }
  }
  return {};
}
