import { createHash } from "node:crypto";
import type { FlowModule } from "../../../../contract/flow-value.ts";
import { limits } from "../../../../contract/limits.ts";
import { errorOf, expire, type Gate, isOpen, newGate, type Opened, open, withToken } from "../../../../core/approvals/gate.ts";
import { tooFewMembers } from "../../../../core/approvals/groups.ts";
import { gateOutcome } from "../../../../core/approvals/outcome.ts";
import { consentRules, suspendRules } from "../../../../core/approvals/rules.ts";
import { fillIn } from "../../../../core/approvals/template.ts";
import type { StepState } from "../../../../core/flows/step-call.ts";
import { keys } from "../../../../core/objects/keys.ts";
import { accessSchema, noAccess } from "../../../../core/permissions/access.ts";
import { formProblem } from "../../../approvals/decisions/check-payload.ts";
import { changeGate, gateOf } from "../../../approvals/gates/change-gate.ts";
import { applyPreApprovals } from "../../../approvals/gates/pre-approvals.ts";
import { loadValue } from "../../../jobs/values/values.ts";
import { redactedResults } from "../../inspection/redacted-results.ts";
import type { Evaluator } from "../expressions/evaluator.ts";
import { attemptId, goTo, loadFlowValue, type StepContext, storeFlowValue } from "../step-context.ts";
import { attempts, continueAfter, failStep, failureResult, type StepResult } from "../step-result.ts";

/** What became of the gate of a module that people are asked about; `undefined`: none has opened yet. */
export async function atGate(step: StepContext, expressions: Evaluator): Promise<StepState | undefined> {
  const gate = await gateOf(step.working, attemptId(step));
  return gate?.opened ? answerOf(step, expressions, gate) : undefined;
}

/** A step with approvals has done its own work. */
export async function openSuspend(step: StepContext, expressions: Evaluator, done: StepResult): Promise<StepState> {
  const { module, working } = step;
  const suspend = module.suspend ?? {};
  const { required_events: required, user_groups_required: wanted } = suspend;
  const groups = wanted ? await expressions.transform(wanted, { result: await loadFlowValue(step, done.result) }) : undefined;
  const named = groupsIn(groups);
  const cannotAsk = async (name: string, message: string) => failStep(step, await failureResult(step, { name, message }, done.also));
  if (named === undefined) {
    const got = JSON.stringify(groups).slice(0, 200);
    return cannotAsk("ApprovalGroups", `user_groups_required must evaluate to a list of group names, but it is ${got}.`);
  }
  const wrong = await formProblem(module);
  if (wrong !== undefined) return cannotAsk("ApprovalForm", wrong);
  const tooFew = named.length > 0 ? await fewerThan(step, named, required ?? 0) : undefined;
  if (tooFew !== undefined) return cannotAsk("ApprovalImpossible", tooFew);
  const now = working.nowMs();
  return openGate(step, expressions, {
    kind: "suspend",
    rules: suspendRules(suspend, named),
    atMs: now,
    deadlineMs: now + (suspend.timeout ?? limits.suspendTimeoutS) * 1000,
    result: done.result,
    also: { ...done.also },
    shown: digestOf([suspend.resume_form ?? null, done.result, suspend.inputs ?? []]),
  });
}

/** `undefined`: no list of names. */
function groupsIn(value: unknown): string[] | undefined {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) && value.every((each) => typeof each === "string") ? value : undefined;
}

/** Nobody can give more approvals than there are people: said at once, and not after the timeout. */
async function fewerThan({ working, flow }: StepContext, groups: readonly string[], required: number): Promise<string | undefined> {
  const found = await working.objects.get(keys.access(flow.workspace));
  return tooFewMembers(found ? accessSchema.parse(found.value) : noAccess, groups, required);
}

export async function openConsent(
  step: StepContext,
  expressions: Evaluator,
  value: Extract<FlowModule["value"], { type: "consentgate" }>,
): Promise<StepState> {
  const { working, flow } = step;
  const now = working.nowMs();
  const context = value.message?.includes("{{") ? await contextOf(step) : {};
  const message = fillIn(value.message ?? "", {
    workflow: { name: flow.path ?? "preview" },
    run: { triggered_by: flow.createdBy },
    context,
  });
  const { timeout, remind_after: remindS, escalate } = value;
  return openGate(step, expressions, {
    kind: "consent",
    rules: consentRules(value.approvers),
    atMs: now,
    ...(timeout ? { deadlineMs: now + timeout * 1000 } : {}),
    result: await storeFlowValue(step, null),
    also: {},
    message,
    shown: digestOf([message]),
    ...(remindS ? { remindAtMs: now + remindS * 1000 } : {}),
    ...(escalate ? { escalate: { atMs: now + escalate.after * 1000, people: escalate.approvers } } : {}),
  });
}

/** The flow's input, and results by step; what people read, without secrets. */
async function contextOf({ working, flow, plan }: StepContext): Promise<Record<string, unknown>> {
  const input = JSON.parse(await loadValue(working, flow, flow.argsShown ?? flow.args)) as Record<string, unknown>;
  return { ...input, ...(await redactedResults(working, flow.id, plan.value)) };
}

const digestOf = (value: unknown) => createHash("sha256").update(JSON.stringify(value)).digest("hex");

async function openGate(step: StepContext, expressions: Evaluator, asked: Omit<Opened, "code" | "plain">): Promise<StepState> {
  const { working, flow, plan, module, scope, at } = step;
  const id = attemptId(step);
  const { workspace, expiresAtMs } = flow;
  const { early_return: early } = plan.value;
  const opened: Opened = {
    ...asked,
    also: { ...asked.also, ...attempts(step) },
    code: digestOf(plan.value),
    plain: !module.sleep && !early && !step.segment,
  };
  const known = await gateOf(working, id);
  const place = { id, workspace, flow: flow.id, root: flow.root ?? flow.id, module: module.id, scope: scope.name, at, expiresAtMs };
  const start = { gate: known ?? newGate(place), flow };
  const { gate } = await changeGate(working, start, module, (current) => open(current, opened));
  return answerOf(step, expressions, await applyPreApprovals(working, { gate, flow }, module));
}

/** Keeps the token of the task that waits at a gate, and lets it go on where it is decided by now. */
export async function registerGateToken(step: StepContext, gate: Gate, token: string): Promise<void> {
  const { gate: held } = await changeGate(step.working, { gate, flow: step.flow }, step.module, (current) =>
    withToken(current, token, step.state),
  );
  // What came for the flow between its opening and now.
  await applyPreApprovals(step.working, { gate: held, flow: step.flow }, step.module);
}

async function answerOf(step: StepContext, expressions: Evaluator, gate: Gate): Promise<StepState> {
  const { working, flow, module } = step;
  const inTime = () => changeGate(working, { gate, flow }, module, (current) => expire(current, working.nowMs()));
  const { gate: now } = isOpen(gate) ? await inTime() : { gate };
  return now.decision ? settled(step, expressions, now) : goTo(step, "wait");
}

/** What follows from a decision. */
async function settled(step: StepContext, expressions: Evaluator, gate: Gate): Promise<StepState> {
  const { decision, opened } = gate;
  if (!decision || !opened) throw new Error(`The gate ${gate.id} is not decided.`);
  const { result, ...also } = gateOutcome(gate, opened);
  if (decision.how === "approved" || goesOn(step)) return continueAfter(step, expressions, { ok: true, result, also });
  const error = { ...errorOf(gate), step_id: step.module.id };
  const done = { ok: false, result: await storeFlowValue(step, { error }), also };
  return failStep(step, { ...done, ...(decision.how === "expired" && opened.kind !== "consent" ? { canceled: true } : {}) });
}

function goesOn({ module, scope }: StepContext): boolean {
  if (module.suspend?.continue_on_disapprove_timeout === true) return true;
  // A failure that nobody comes after is the flow's.
  return module.continue_on_error === true && scope.modules.at(-1)?.id !== module.id;
}
