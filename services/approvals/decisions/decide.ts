import { createHash } from "node:crypto";
import { refusals } from "../../../contract/approvals/refusals.ts";
import { defined } from "../../../contract/defined.ts";
import { SvcError } from "../../../contract/errors.ts";
import type { AccessPath, Approver, Verdict } from "../../../core/approvals/authorize.ts";
import {
  assertUndecided,
  countMissingApprovals,
  type Gate,
  type GateEvent,
  isOpen,
  recordApproval,
  recordRejection,
} from "../../../core/approvals/gate.ts";
import { buildLinkUrls, type LinkSubject } from "../../../core/approvals/link.ts";
import { isReasonMissing } from "../../../core/approvals/rules.ts";
import { getFlowRootId } from "../../../core/jobs/record/job.ts";
import type { Actor } from "../../../core/people/actor.ts";
import type { JobAddress } from "../../jobs/read/read.ts";
import { storeValue } from "../../jobs/values/values.ts";
import type { Uses } from "../../uses.ts";
import { changeGate, type GateWithFlow, loadGatesOfRun } from "../gates/change-gate.ts";
import {
  type ApprovalRequest,
  findApprovalRequest,
  findApprovalRequestOfGate,
  getApprovalRules,
  invalidLinkError,
} from "../gates/find-approval-request.ts";
import { applyPreApprovals, storePreApproval } from "../gates/pre-approvals.ts";
import { verifyLink } from "../links/links.ts";
import { approverFrom } from "./approver.ts";
import { authorizeDecision } from "./authorize-decision.ts";
import { checkPayload, checkPayloadSize } from "./check-payload.ts";

export type DecideDeps = Uses<"gatedFlows" | "jobs" | "objects" | "storage" | "linkKeys" | "nowMs" | "baseUrl">;

/** An approval or a rejection in the request of the caller. */
export interface DecisionInput {
  approved: boolean;
  payload?: unknown;
  reason?: string | undefined;
}

/** A received link, which is not verified yet. */
export interface LinkReference extends Omit<LinkSubject, "level"> {
  signature: string;
}

/** The approver and the access path by which they reached the gate. */
export interface ApproverSource {
  who: Approver;
  accessPath: AccessPath;
  link?: LinkReference;
  level?: "step" | "flow";
  /** The person in a chat who decides, and their name there. */
  chat?: { user: string; name: string };
}

/**
 * Decides by a link and returns the outcome as one sentence. `readInput` is called only if the link is valid, so that strangers cannot make the
 * service parse a body. Throws the `approval.*` errors and those of `readInput`.
 */
export async function decideByLink(
  deps: DecideDeps,
  link: LinkReference,
  actor: Actor | undefined,
  readInput: () => DecisionInput | Promise<DecisionInput>,
): Promise<string> {
  const level = await verifyLink(deps, link.signature, link);
  if (level === undefined) throw invalidLinkError();
  const input = await readInput();
  const from: ApproverSource = { who: approverFrom(actor, link.workspace), accessPath: { by: "link", mayStop: false }, link, level };
  if (level === "flow") return decideForFlow(deps, { workspace: link.workspace, id: link.id }, from, input);
  return decideRequest(deps, await findApprovalRequest(deps, link.workspace, link.id), from, input);
}

/** Decides a request and returns the outcome as one sentence. Throws the `approval.*` errors. */
export async function decideRequest(
  deps: DecideDeps,
  request: ApprovalRequest,
  from: ApproverSource,
  input: DecisionInput,
): Promise<string> {
  const { gate } = await decideGate(deps, request, from, input);
  return describeOutcome(gate);
}

/**
 * Decides a gate and returns the changed gate. Throws `approval.refused`, `approval.person`, `approval.decided`, `approval.form`,
 * `approval.reasonRequired`, `approval.over`.
 */
export async function decideGate(
  deps: DecideDeps,
  request: ApprovalRequest,
  from: ApproverSource,
  input: DecisionInput,
): Promise<GateWithFlow> {
  const { who, accessPath } = from;
  const rules = getApprovalRules(request);
  permitDecision(await authorizeDecision(deps, { ...request, rules }, who, accessPath));
  // A late decision gets `approval.decided` before any other fault is reported.
  if (!request.gate.decision) await checkInput(deps, request, from, input);
  const event = await storeEvent(deps, request.gate, { ...from, signedIn: rules.signedIn }, input);
  return changeGate(deps, request, (gate) =>
    input.approved ? recordApproval(gate, { ...event, atMs: deps.nowMs() }) : recordRejection(gate, toRejection(deps, event, input)),
  );
}

/**
 * Checks whether a person may decide a gate that waits, before they fill in its form. Throws `approval.refused`, `approval.person` and
 * `approval.decided`.
 */
export async function checkDecidable(
  deps: Uses<"objects" | "nowMs">,
  request: ApprovalRequest,
  { who, accessPath }: Pick<ApproverSource, "who" | "accessPath">,
): Promise<void> {
  permitDecision(await authorizeDecision(deps, { ...request, rules: getApprovalRules(request) }, who, accessPath));
  assertUndecided(request.gate, deps.nowMs());
}

async function checkInput(deps: DecideDeps, request: ApprovalRequest, { link }: ApproverSource, input: DecisionInput): Promise<void> {
  if (input.approved) return checkPayload(deps, request, input.payload ?? null);
  if (!isReasonMissing(getApprovalRules(request), input.reason)) return;
  // The holder of a link has its signature already. A signed-in person knows the page.
  throw new SvcError("approval.reasonRequired", link ? { page: buildLinkUrls(deps.baseUrl, link, link.signature).approvalPage } : {});
}

function permitDecision(verdict: Verdict): void {
  if (verdict === "yes") return;
  const { code, details } = refusals[verdict].error;
  throw new SvcError(code, details);
}

const toRejection = ({ nowMs }: DecideDeps, { approver, email, chatUser, payload }: GateEvent, { reason }: DecisionInput) => ({
  approver,
  email,
  ...defined({ chatUser }),
  reason,
  atMs: nowMs(),
  payload,
});

/** Stores the payload first: if the rest fails, no item refers to it. */
async function storeEvent(
  deps: DecideDeps,
  gate: Pick<Gate, "id" | "workspace" | "retention" | "expiresAtMs">,
  { who, link, chat, level = "step", signedIn = false }: ApproverSource & { signedIn?: boolean },
  { payload = null, reason }: DecisionInput,
): Promise<GateEvent> {
  const json = JSON.stringify(payload);
  const [actsFor, email] = who.kind === "link" ? [] : [who.emails[0], who.emails.at(-1)];
  // The creator of a link named its approver. The record also contains the address of the person who was signed in.
  const approver = link?.approver || (who.kind === "link" ? chat?.name : who.username);
  return {
    ...(link ? { resumeId: link.resumeId } : {}),
    level,
    ...defined({ email, chatUser: chat?.user }),
    ...(actsFor === undefined || actsFor === email ? {} : { actsFor }),
    ...(approver ? { approver } : {}),
    ...(reason ? { reason } : {}),
    countedBy: signedIn || !(link || chat) ? "person" : "link",
    atMs: deps.nowMs(),
    payloadDigest: createHash("sha256").update(json).digest("hex"),
    payload: { jobId: gate.id, location: await storeValue(deps, gate, "approval", json) },
  };
}

/**
 * Decides the step of a flow that waits now, or stores the decision for the next step that requests one. A gate may open concurrently: the
 * process that opens a gate reads stored decisions, and this function searches for gates again after it has stored the decision.
 */
async function decideForFlow(deps: DecideDeps, { workspace, id }: JobAddress, from: ApproverSource, input: DecisionInput): Promise<string> {
  const flow = await deps.jobs.get(id);
  if (flow?.workspace !== workspace) throw invalidLinkError();
  const { link } = from;
  const gates = await loadGatesOfRun(deps, getFlowRootId(flow), flow.id);
  const counted = gates.find(({ events }) => events.some(({ resumeId, level }) => resumeId === link?.resumeId && level === "flow"));
  for (const gate of counted ? [counted] : gates.filter(isOpen)) {
    if (gate.opened?.kind !== "suspend") continue;
    const request = await findApprovalRequestOfGate(deps, gate, flow);
    const verdict = await authorizeDecision(deps, { ...request, rules: getApprovalRules(request) }, from.who, from.accessPath);
    if (verdict === "sign_in") permitDecision(verdict);
    if (verdict === "yes") return decideRequest(deps, request, from, input);
  }
  checkPayloadSize(input.payload ?? null);
  const event = await storeEvent(deps, flow, from, input);
  await storePreApproval(deps, flow, {
    event,
    ...(input.approved ? {} : { rejects: { ...(input.reason ? { reason: input.reason } : {}) } }),
  });
  for (const gate of (await loadGatesOfRun(deps, getFlowRootId(flow), flow.id)).filter(isOpen)) {
    const request = await findApprovalRequestOfGate(deps, gate, flow);
    await applyPreApprovals(deps, request, request.module);
  }
  return input.approved
    ? "Your approval is stored. It applies to the next step of the flow that requests approval."
    : "Your rejection is stored. It applies to the next step of the flow that requests approval.";
}

/** Returns the sentence for a caller who has decided, or whose earlier reply was lost. */
function describeOutcome(gate: Gate): string {
  const { decision } = gate;
  if (decision?.outcome === "rejected") return "Rejected.";
  if (decision || !gate.opened) return "Approved.";
  return `Approved. ${countMissingApprovals(gate)} of ${gate.opened.rules.required} required approvals are still missing.`;
}
