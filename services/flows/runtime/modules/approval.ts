import { limits } from "../../../../contract/limits.ts";
import { laterMs } from "../../../../contract/utilities/iso-time.ts";
import { describeMissingMembers } from "../../../../core/approvals/groups.ts";
import { readRequiredGroups, toSuspendRules } from "../../../../core/approvals/rules.ts";
import type { StepState } from "../../../../core/flows/step-call.ts";
import { accessObject, noAccess } from "../../../../core/permissions/access.ts";
import { describeFormProblem } from "../../../approvals/decisions/check-payload.ts";
import type { CompleteStepDeps } from "../complete-step.ts";
import { failStep } from "../end-step.ts";
import { loadFlowValue } from "../flow-values.ts";
import type { StepContext } from "../step-context.ts";
import { failedWith, type SucceededResult } from "../step-result.ts";
import { digestOf, openGate } from "./gate.ts";

/** Requests the approvals of a step with `suspend`, after the step has run. The step fails if the approvals are impossible. */
export async function openApproval(deps: CompleteStepDeps, step: StepContext, done: SucceededResult): Promise<StepState> {
  const { module } = step;
  const suspend = module.suspend ?? {};
  const { required_events: required, user_groups_required: transform } = suspend;
  const value = transform
    ? await deps.expressions.transform("suspend.user_groups_required", transform, { result: await loadFlowValue(deps, step, done.result) })
    : undefined;
  const { groups, problem: invalid } = readRequiredGroups(suspend, value);
  if (!groups) {
    const problem = { name: "ApprovalGroups", message: `${invalid}.` };
    return failStep(deps, step, await failedWith(deps, step, problem, done.details));
  }
  const problem = await findProblem(deps, step, groups, required ?? 0);
  if (problem) return failStep(deps, step, await failedWith(deps, step, problem, done.details));
  const now = deps.nowMs();
  return openGate(deps, step, {
    kind: "suspend",
    rules: toSuspendRules(suspend, groups),
    atMs: now,
    deadlineMs: laterMs(now, suspend.timeout ?? limits.suspendTimeoutS),
    result: done.result,
    outcomeFields: { ...done.details },
    contentDigest: digestOf([suspend.resume_form ?? null, done.result, suspend.inputs ?? []]),
  });
}

async function findProblem(
  deps: CompleteStepDeps,
  { module, flow }: StepContext,
  groups: readonly string[],
  required: number,
): Promise<{ name: string; message: string } | undefined> {
  const form = await describeFormProblem(module);
  if (form !== undefined) return { name: "ApprovalForm", message: form };
  if (groups.length === 0) return undefined;
  // The groups have too few members: the step fails now instead of after the timeout.
  const access = await deps.objects.get(accessObject.key(flow.workspace));
  const tooFew = describeMissingMembers(access ? accessObject.parse(access) : noAccess, groups, required);
  return tooFew === undefined ? undefined : { name: "ApprovalImpossible", message: tooFew };
}
