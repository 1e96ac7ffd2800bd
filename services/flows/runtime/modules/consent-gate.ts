import type { FlowModule } from "../../../../contract/flows/flow-value.ts";
import { laterMs } from "../../../../contract/utilities/iso-time.ts";
import { toConsentRules } from "../../../../core/approvals/rules.ts";
import { fillTemplate } from "../../../../core/approvals/template.ts";
import type { StepState } from "../../../../core/flows/step-call.ts";
import { loadJson } from "../../../jobs/values/values.ts";
import { loadRedactedResults } from "../../inspection/redacted-results.ts";
import type { CompleteStepDeps } from "../complete-step.ts";
import { storeFlowValue } from "../flow-values.ts";
import type { StepContext } from "../step-context.ts";
import { digestOf, openGate } from "./gate.ts";

type ConsentGate = Extract<FlowModule["value"], { type: "consentgate" }>;

/** Requests the consent of a module of kind `consentgate`: the whole run waits for it. */
export async function openConsent(deps: CompleteStepDeps, step: StepContext, value: ConsentGate): Promise<StepState> {
  const { flow } = step;
  const now = deps.nowMs();
  const context = value.message?.includes("{{") ? await messageContext(deps, step) : {};
  const message = fillTemplate(value.message ?? "", {
    workflow: { name: flow.path ?? "preview" },
    run: { triggered_by: flow.createdBy },
    context,
  });
  const { timeout, remind_after: remindS, escalate } = value;
  return openGate(deps, step, {
    kind: "consent",
    rules: toConsentRules(value),
    atMs: now,
    ...(timeout ? { deadlineMs: laterMs(now, timeout) } : {}),
    result: await storeFlowValue(deps, step, null),
    outcomeFields: {},
    message,
    contentDigest: digestOf([message]),
    ...(remindS ? { remindAtMs: laterMs(now, remindS) } : {}),
    ...(escalate ? { escalate: { atMs: laterMs(now, escalate.after), people: escalate.approvers } } : {}),
  });
}

/** The flow's input and the results by step, without secrets, because people read the message. */
async function messageContext(deps: CompleteStepDeps, { flow, plan }: StepContext): Promise<Record<string, unknown>> {
  const input = (await loadJson(deps, flow, flow.redactedArgs ?? flow.args)) as Record<string, unknown>;
  return { ...input, ...(await loadRedactedResults(deps, flow.id, plan.value)) };
}
