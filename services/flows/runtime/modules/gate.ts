import { createHash } from "node:crypto";
import { defined } from "../../../../contract/defined.ts";
import {
  awaitToken,
  createGate,
  expireGate,
  type Gate,
  type GateEvent,
  isOpen,
  markGateOpen,
  markInChat,
  type OpenedGate,
  removeEvents,
  setTaskToken,
  toGateError,
} from "../../../../core/approvals/gate.ts";
import { toGateOutcome } from "../../../../core/approvals/outcome.ts";
import { describeUnknownPrincipals, type PrincipalIdentities } from "../../../../core/approvals/principals.ts";
import type { GateRules } from "../../../../core/approvals/rules.ts";
import type { StepState } from "../../../../core/flows/step-call.ts";
import { getFlowRootId } from "../../../../core/jobs/record/job.ts";
import { getApproverChannel } from "../../../../core/notifications/notice.ts";
import { loadApproverByEmail } from "../../../approvals/decisions/approver.ts";
import { authorizeDecision } from "../../../approvals/decisions/authorize-decision.ts";
import { isPayloadAccepted } from "../../../approvals/decisions/check-payload.ts";
import { changeGate, loadGate } from "../../../approvals/gates/change-gate.ts";
import type { ApprovalRequest } from "../../../approvals/gates/find-approval-request.ts";
import { applyPreApprovals } from "../../../approvals/gates/pre-approvals.ts";
import { loadPrincipalIdentities } from "../../../approvals/gates/principals.ts";
import type { Uses } from "../../../uses.ts";
import type { CompleteStepDeps } from "../complete-step.ts";
import { continueAfter, failStep, retriesOf } from "../end-step.ts";
import { storeFlowValue } from "../flow-values.ts";
import { attemptId, type StepContext } from "../step-context.ts";
import { requireOwnGate } from "../step-jobs/own-job.ts";
import { failedWith } from "../step-result.ts";
import { transitionTo } from "../transitions.ts";

/** The state that follows from the gate of a module; `undefined` when no gate has opened yet. */
export async function resumeAtGate(deps: CompleteStepDeps, step: StepContext): Promise<StepState | undefined> {
  const gate = await loadGate(deps, attemptId(step));
  return gate?.opened ? stateAtGate(deps, step, requireOwnGate(step, gate)) : undefined;
}

/**
 * Opens the gate of a module, and passes it at once if there already are enough approvals. The step fails if an approver of its rules does not
 * exist: a rule must not apply to a group or user that is created later under that name.
 */
export async function openGate(
  deps: CompleteStepDeps,
  step: StepContext,
  request: Omit<OpenedGate, "codeDigest" | "continuesDirectly">,
): Promise<StepState> {
  const { flow, plan, module, scope, path } = step;
  const id = attemptId(step);
  const { workspace, retention, expiresAtMs } = flow;
  const { early_return: early } = plan.value;
  const existing = await loadGate(deps, id);
  const identities = await identifyApprovers(deps, workspace, request);
  if (!existing?.opened && identities.problem !== undefined) {
    const problem = { name: "UnknownApprovers", message: identities.problem };
    return failStep(deps, step, await failedWith(deps, step, problem, request.outcomeFields));
  }
  const rules = { ...request.rules, ...defined({ identities: identities.principals }) };
  const opened: OpenedGate = {
    ...request,
    rules,
    outcomeFields: { ...request.outcomeFields, ...retriesOf(step) },
    codeDigest: digestOf(plan.value),
    continuesDirectly: !module.sleep && !early && !step.inSegment,
  };
  const common = { id, workspace, retention, expiresAtMs };
  const location = { ...common, flow: flow.id, root: getFlowRootId(flow), module: module.id, scope: scope.name, path };
  const start = { gate: existing ? requireOwnGate(step, existing) : createGate(location), flow };
  const refused = await findRefusedEvents(deps, { flow, module, gate: { ...start.gate, opened } }, rules);
  const open = (current: Gate) => markGateOpen(removeEvents(current, refused), opened, step.state.execution);
  const asksInChat = getApproverChannel(module) === "chat";
  const { gate } = await changeGate(deps, { ...start, module }, (current) => {
    if (current.opened) return current;
    return asksInChat ? markInChat(open(current)) : open(current);
  });
  return stateAtGate(deps, step, await applyPreApprovals(deps, { gate, flow }, module));
}

/** Loads the identities of all approvers that a gate may get, or describes which of them do not exist. */
async function identifyApprovers(
  deps: CompleteStepDeps,
  workspace: string,
  { rules, escalate }: Pick<OpenedGate, "rules" | "escalate">,
): Promise<{ principals?: PrincipalIdentities; problem?: string }> {
  const named = [...(rules.people ?? []), ...(escalate?.people ?? [])];
  if (named.length === 0) return {};
  const principals = await loadPrincipalIdentities(deps, workspace, named);
  const unknown = describeUnknownPrincipals(named, principals);
  return unknown === undefined ? { principals } : { problem: `The gate did not open: ${unknown}.` };
}

/**
 * Returns the approvals from before the opening that do not count: those of people who are no longer approvers, because their group may be
 * another one now, and those with values that are not among the choices that the step has returned.
 */
async function findRefusedEvents(deps: CompleteStepDeps, request: ApprovalRequest, rules: GateRules): Promise<GateEvent[]> {
  const { gate, flow } = request;
  const verdicts = await Promise.all(
    gate.events.map(async (event) => {
      if (!(await isPayloadAccepted(deps, request, event))) return "values";
      if (!rules.people) return "yes";
      const who = await loadApproverByEmail(deps, event.email, gate.workspace);
      return authorizeDecision(deps, { rules, gate, flow }, who, { by: "link", mayStop: false });
    }),
  );
  return gate.events.filter((_, index) => verdicts[index] !== "yes");
}

/** Stores the token of the task that waits at a gate, and resumes the task if the gate is already decided. */
export async function registerGateToken(
  deps: Uses<"gatedFlows" | "jobs" | "objects" | "storage" | "nowMs">,
  step: StepContext,
  gate: Gate,
  token: string,
): Promise<void> {
  const { gate: stored } = await changeGate(deps, { gate, flow: step.flow, module: step.module }, (current) =>
    setTaskToken(current, token, step.state),
  );
  // Applies approvals for the flow that arrived since the gate opened.
  await applyPreApprovals(deps, { gate: stored, flow: step.flow }, step.module);
}

/** SHA-256 of a value's JSON text. */
export const digestOf = (value: unknown) => createHash("sha256").update(JSON.stringify(value)).digest("hex");

async function stateAtGate(deps: CompleteStepDeps, step: StepContext, gate: Gate): Promise<StepState> {
  const { flow, module } = step;
  const now = deps.nowMs();
  const rule = (current: Gate) => awaitToken(expireGate(current, now), step.state.execution, now);
  const { gate: current } = isOpen(gate) ? await changeGate(deps, { gate, flow, module }, rule) : { gate };
  return current.decision ? completeDecided(deps, step, current) : transitionTo(step, "wait");
}

async function completeDecided(deps: CompleteStepDeps, step: StepContext, gate: Gate): Promise<StepState> {
  const { decision, opened } = gate;
  if (!decision || !opened) throw new Error(`Gate ${gate.id} is not decided.`);
  const { result, ...details } = toGateOutcome(gate, opened);
  if (decision.outcome === "approved" || continuesAfterRefusal(step))
    return continueAfter(deps, step, { status: "succeeded", result, details });
  const error = await storeFlowValue(deps, step, { error: { ...toGateError(gate), step_id: step.module.id } });
  const canceled = decision.outcome === "expired" && opened.kind !== "consent" ? { canceled: true } : {};
  return failStep(deps, step, { status: "failed", result: error, details, ...canceled });
}

function continuesAfterRefusal({ module, scope }: StepContext): boolean {
  if (module.suspend?.continue_on_disapprove_timeout === true) return true;
  // The failure of the last module is that of the list, whatever the module allows.
  return module.continue_on_error === true && scope.modules.at(-1)?.id !== module.id;
}
