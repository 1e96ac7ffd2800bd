import { defined } from "../../../../contract/defined.ts";
import { PREPROCESSOR } from "../../../../core/flows/journal.ts";
import { buildArgsPreview } from "../../../../core/jobs/record/head-size.ts";
import type { Job } from "../../../../core/jobs/record/job.ts";
import { restoreEventBody } from "../../../../core/payload/preprocessor-arguments.ts";
import { escapeByOrigin } from "../../../../core/resources/reference-origin.ts";
import { createMasker } from "../../../../core/secrets/mask.ts";
import { ENTRYPOINT_ARGUMENT } from "../../../execution/invoke-runner.ts";
import { loadJson, storeValue, type ValueOwner } from "../../../jobs/values/values.ts";
import type { EndStepDeps } from "../end-step.ts";
import { loadFlowValue } from "../flow-values.ts";
import { attemptId, countFailures, type StepContext } from "../step-context.ts";
import { requireOwnJob } from "./own-job.ts";

/** The arguments of a step. A retry gets those of the first attempt, which are not evaluated again. */
export async function stepArguments(deps: EndStepDeps, step: StepContext): Promise<Record<string, unknown>> {
  return (await firstArguments(deps, step)) ?? evaluateArguments(deps, step);
}

async function evaluateArguments(deps: EndStepDeps, step: StepContext): Promise<Record<string, unknown>> {
  const { module, flow } = step;
  if (module.id === PREPROCESSOR) {
    const flowArgs = (await loadJson(deps, flow, flow.args)) as Record<string, unknown>;
    return { ...flowArgs, event: restoreEventBody(flowArgs["event"]), [ENTRYPOINT_ARGUMENT]: PREPROCESSOR };
  }
  const { value } = module;
  const transforms = value.type === "script" || value.type === "rawscript" || value.type === "flow" ? value.input_transforms : undefined;
  const args: Record<string, unknown> = {};
  for (const [name, transform] of Object.entries(transforms ?? {})) {
    const found = await deps.expressions.transform(`input_transforms.${name}`, transform, { params: args });
    args[name] = escapeByOrigin(transform, found);
  }
  return args;
}

/** `undefined` if the first attempt has no job, because its arguments could not be evaluated or nothing had to run. */
async function firstArguments(deps: EndStepDeps, step: StepContext): Promise<Record<string, unknown> | undefined> {
  if (countFailures(step) === 0) return undefined;
  const first = await deps.jobs.get(attemptId(step, 0));
  if (!first) return undefined;
  requireOwnJob(step, first, 0);
  const stored = { jobId: first.id, location: first.args, ...defined({ redacted: first.redactedArgs }) };
  return (await loadFlowValue(deps, step, stored)) as Record<string, unknown>;
}

/** Stores arguments, and a redacted copy if they contain a secret of an earlier step. `job` is the new job without them. */
export async function storeArguments<J extends ValueOwner & Partial<Job>>(
  deps: EndStepDeps,
  { secrets }: StepContext,
  job: J,
  args: Record<string, unknown>,
) {
  const redacted = createMasker(secrets)?.value(args) as Record<string, unknown> | undefined;
  const [json, redactedJson] = [JSON.stringify(args), redacted === undefined ? undefined : JSON.stringify(redacted)];
  const stored = await storeValue(deps, job, "args", json);
  if (!redacted || redactedJson === undefined || redactedJson === json) {
    return { ...job, args: stored, ...buildArgsPreview({ ...job, args: stored }, stored, args) };
  }
  const redactedArgs = await storeValue(deps, job, "args", redactedJson);
  return { ...job, args: stored, redactedArgs, ...buildArgsPreview({ ...job, args: stored, redactedArgs }, redactedArgs, redacted) };
}
