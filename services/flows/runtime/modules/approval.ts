import { createHash } from "node:crypto";
import type { FlowModule } from "../../../../contract/flow-value.ts";
import { limits } from "../../../../contract/limits.ts";
import { errorOf, expire, type Gate, isOpen, newGate, type Opened, open, withToken } from "../../../../core/approvals/gate.ts";
import { tooFewMembers } from "../../../../core/approvals/groups.ts";
import { outcomeAt } from "../../../../core/approvals/outcome.ts";
import { consentRules, suspendRules } from "../../../../core/approvals/rules.ts";
import { fillIn } from "../../../../core/approvals/template.ts";
import type { FlowState } from "../../../../core/flows/step-call.ts";
import { keys } from "../../../../core/objects/keys.ts";
import { accessSchema, noAccess } from "../../../../core/permissions/access.ts";
import { formProblem } from "../../../approvals/decisions/check-payload.ts";
import { changeGate, gateOf } from "../../../approvals/gates/change-gate.ts";
import { takeEarly } from "../../../approvals/gates/pre-approvals.ts";
import { resultsShown } from "../../../approvals/page/redacted-results.ts";
import { load } from "../../../jobs/values/values.ts";
import type { Evaluator } from "../expressions/evaluator.ts";
import { attemptId, goTo, type Here, keepValue, keptValue } from "../step-context.ts";
import { attempts, type Done, fail, failed, goOnAfter } from "../step-result.ts";

/** What became of the gate of a module that people are asked about; `undefined`: none has opened yet. */
export async function atGate(here: Here, evaluator: Evaluator): Promise<FlowState | undefined> {
  const gate = await gateOf(here.working, attemptId(here));
  return gate?.opened ? answerOf(here, evaluator, gate) : undefined;
}

/** A step with approvals has done its own work. */
export async function openSuspend(here: Here, evaluator: Evaluator, done: Done): Promise<FlowState> {
  const { module, working } = here;
  const suspend = module.suspend ?? {};
  const { required_events: required, user_groups_required: wanted } = suspend;
  const groups = wanted ? await evaluator.transform(wanted, { result: await keptValue(here, done.result) }) : undefined;
  const named = groupsIn(groups);
  const cannotAsk = async (name: string, message: string) => fail(here, await failed(here, { name, message }, done.also));
  if (named === undefined) {
    const got = JSON.stringify(groups).slice(0, 200);
    return cannotAsk("ApprovalGroups", `user_groups_required must yield a list of groups' names, got ${got}.`);
  }
  const wrong = await formProblem(module);
  if (wrong !== undefined) return cannotAsk("ApprovalForm", wrong);
  const tooFew = named.length > 0 ? await fewerThan(here, named, required ?? 0) : undefined;
  if (tooFew !== undefined) return cannotAsk("ApprovalImpossible", tooFew);
  const now = working.nowMs();
  return openGate(here, evaluator, {
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
async function fewerThan({ working, flow }: Here, groups: readonly string[], required: number): Promise<string | undefined> {
  const found = await working.objects.get(keys.access(flow.workspace));
  return tooFewMembers(found ? accessSchema.parse(found.value) : noAccess, groups, required);
}

export async function openConsent(
  here: Here,
  evaluator: Evaluator,
  value: Extract<FlowModule["value"], { type: "consentgate" }>,
): Promise<FlowState> {
  const { working, flow } = here;
  const now = working.nowMs();
  const context = value.message?.includes("{{") ? await contextOf(here) : {};
  const message = fillIn(value.message ?? "", {
    workflow: { name: flow.path ?? "preview" },
    run: { triggered_by: flow.createdBy },
    context,
  });
  const { timeout, remind_after: remindS, escalate } = value;
  return openGate(here, evaluator, {
    kind: "consent",
    rules: consentRules(value.approvers),
    atMs: now,
    ...(timeout ? { deadlineMs: now + timeout * 1000 } : {}),
    result: await keepValue(here, null),
    also: {},
    message,
    shown: digestOf([message]),
    ...(remindS ? { remindAtMs: now + remindS * 1000 } : {}),
    ...(escalate ? { escalate: { atMs: now + escalate.after * 1000, people: escalate.approvers } } : {}),
  });
}

/** The flow's input, and results by step; what people read, without secrets. */
async function contextOf({ working, flow, plan }: Here): Promise<Record<string, unknown>> {
  const input = JSON.parse(await load(working, flow, flow.argsShown ?? flow.args)) as Record<string, unknown>;
  return { ...input, ...(await resultsShown(working, flow.id, plan.value)) };
}

const digestOf = (value: unknown) => createHash("sha256").update(JSON.stringify(value)).digest("hex");

async function openGate(here: Here, evaluator: Evaluator, asked: Omit<Opened, "code" | "plain">): Promise<FlowState> {
  const { working, flow, plan, module, scope, at } = here;
  const id = attemptId(here);
  const { workspace, expiresAtMs } = flow;
  const { early_return: early } = plan.value;
  const opened: Opened = {
    ...asked,
    also: { ...asked.also, ...attempts(here) },
    code: digestOf(plan.value),
    plain: !module.sleep && !early && !here.segment,
  };
  const known = await gateOf(working, id);
  const place = { id, workspace, flow: flow.id, root: flow.root ?? flow.id, module: module.id, scope: scope.name, at, expiresAtMs };
  const start = { gate: known ?? newGate(place), flow };
  const { gate } = await changeGate(working, start, module, (current) => open(current, opened));
  return answerOf(here, evaluator, await takeEarly(working, { gate, flow }, module));
}

/** Keeps the token of the task that waits at a gate, and lets it go on where it is decided by now. */
export async function holdAtGate(here: Here, gate: Gate, token: string): Promise<void> {
  const { gate: held } = await changeGate(here.working, { gate, flow: here.flow }, here.module, (current) =>
    withToken(current, token, here.state),
  );
  // What came for the flow between its opening and now.
  await takeEarly(here.working, { gate: held, flow: here.flow }, here.module);
}

async function answerOf(here: Here, evaluator: Evaluator, gate: Gate): Promise<FlowState> {
  const { working, flow, module } = here;
  const inTime = () => changeGate(working, { gate, flow }, module, (current) => expire(current, working.nowMs()));
  const { gate: now } = isOpen(gate) ? await inTime() : { gate };
  return now.decision ? settled(here, evaluator, now) : goTo(here, "wait");
}

/** What follows from a decision. */
async function settled(here: Here, evaluator: Evaluator, gate: Gate): Promise<FlowState> {
  const { decision, opened } = gate;
  if (!decision || !opened) throw new Error(`The gate ${gate.id} is not decided.`);
  const { state: _, goes: __, result, ...also } = outcomeAt(gate, opened);
  if (decision.how === "approved" || goesOn(here)) return goOnAfter(here, evaluator, { ok: true, result, also });
  const error = { ...errorOf(gate), step_id: here.module.id };
  const done = { ok: false, result: await keepValue(here, { error }), also };
  return fail(here, { ...done, ...(decision.how === "expired" && opened.kind !== "consent" ? { canceled: true } : {}) });
}

function goesOn({ module, scope }: Here): boolean {
  if (module.suspend?.continue_on_disapprove_timeout === true) return true;
  // A failure that nobody comes after is the flow's.
  return module.continue_on_error === true && scope.modules.at(-1)?.id !== module.id;
}
