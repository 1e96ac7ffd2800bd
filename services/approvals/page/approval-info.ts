import { defined, mapDefined } from "../../../contract/defined.ts";
import { isJsonObject } from "../../../contract/json/json-object.ts";
import type { ApprovalInfo } from "../../../contract/routes/approvals/approvals.ts";
import { toIsoTime } from "../../../contract/utilities/iso-time.ts";
import { type Decision, isGateLate, listApprovers } from "../../../core/approvals/gate.ts";
import { formatViewToken } from "../../../core/approvals/link.ts";
import { toApprovalConditions } from "../../../core/approvals/rules.ts";
import { argsVisibleTo, getWaitState, hasEnded, PEOPLE } from "../../../core/jobs/record/job.ts";
import { loadJson } from "../../jobs/values/values.ts";
import type { Uses } from "../../uses.ts";
import { authorizeDecision } from "../decisions/authorize-decision.ts";
import type { ApproverSource } from "../decisions/decide.ts";
import { type ApprovalRequest, getApprovalRules } from "../gates/find-approval-request.ts";
import { loadPrompt } from "./load-prompt.ts";

/** Returns the form of a decision in the API and on the page. */
export const toDecisionJson = ({ outcome: how, approver: by, reason, atMs }: Decision) => ({
  how,
  ...(by ? { by } : {}),
  ...(reason ? { reason } : {}),
  at: toIsoTime(atMs),
});

/** Builds the data of the approval page. Prompt and form are included only for a caller who may decide or see the run (`seesRun`). */
export async function buildApprovalInfo(
  deps: Uses<"gatedFlows" | "jobs" | "objects" | "storage" | "nowMs">,
  request: ApprovalRequest,
  from: ApproverSource,
  seesRun: boolean,
): Promise<ApprovalInfo> {
  const { gate, flow, module } = request;
  const { opened, decision } = gate;
  const rules = getApprovalRules(request);
  const verdict = await authorizeDecision(deps, { rules, gate, flow }, from.who, from.accessPath);
  const state = getRequestState(request, deps.nowMs());
  const suspend = module.suspend ?? undefined;
  const { summary } = await deps.gatedFlows.describeFlow(flow);
  const isConsent = module.value.type === "consentgate";
  return {
    flow_id: flow.id,
    approval_conditions: toApprovalConditions(rules),
    can_approve: verdict === "yes" && (state === "open" || state === "waiting"),
    user_auth_required: rules.signedIn,
    hide_cancel: suspend?.hide_cancel === true,
    ...(rules.rejectReasonRequired ? { reject_reason_required: true } : {}),
    skin: suspend?.skin ?? "detailed",
    ...(module.summary ? { step_summary: module.summary } : {}),
    ...(summary ? { flow_summary: summary } : {}),
    approvers: listApprovers(gate),
    ...(from.link && !rules.signedIn ? { view_token: formatViewToken(from.link) } : {}),
    gate_id: gate.id,
    kind: isConsent ? "consent" : "suspend",
    module_id: module.id,
    state,
    ...(decision ? { decision: toDecisionJson(decision) } : {}),
    run_state: getWaitState(flow) ?? flow.state,
    required_events: rules.required,
    ...defined({ deadline: mapDefined(opened?.deadlineMs, toIsoTime) }),
    requested_by: flow.createdBy,
    ...defined({ flow_path: flow.path }),
    ...(opened ? { opened_at: toIsoTime(opened.atMs) } : {}),
    ...(from.who.kind === "link" ? {} : { signed_in_as: from.who.username }),
    ...(verdict === "yes" ? {} : { refused: verdict }),
    ...(verdict === "yes" || seesRun ? await loadDetails(deps, request) : {}),
  };
}

/** Loads the prompt, the form and the values that the flow shows to approvers. */
async function loadDetails(deps: Uses<"gatedFlows" | "jobs" | "storage">, request: ApprovalRequest): Promise<Partial<ApprovalInfo>> {
  const { gate, flow, module } = request;
  const isConsent = module.value.type === "consentgate";
  const schema = module.suspend?.resume_form?.["schema"];
  const inputNames = module.suspend?.inputs ?? [];
  const { description, ...prompt } = await loadPrompt(deps, request);
  const args =
    inputNames.length > 0 || isConsent ? ((await loadJson(deps, flow, argsVisibleTo(PEOPLE, flow))) as Record<string, unknown>) : {};
  return {
    ...(isJsonObject(schema) ? { form_schema: schema } : {}),
    ...defined({ description: description as ApprovalInfo["description"] }),
    ...prompt,
    ...(inputNames.length > 0 ? { inputs: Object.fromEntries(inputNames.map((name) => [name, args[name] ?? null])) } : {}),
    ...(isConsent ? { message: gate.opened?.message ?? "", context: { ...args, ...(await deps.gatedFlows.loadResults(flow)) } } : {}),
  };
}

function getRequestState({ gate, flow }: Pick<ApprovalRequest, "gate" | "flow">, nowMs: number): ApprovalInfo["state"] {
  if (gate.decision) return gate.decision.outcome;
  if (hasEnded(flow)) return "canceled";
  if (!gate.opened) return "waiting";
  return isGateLate(gate, nowMs) ? "expired" : "open";
}
