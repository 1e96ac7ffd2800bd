import { createHash } from "node:crypto";
import { SvcError } from "../../../contract/errors.ts";
import { authorize, type Decider, type Verdict, type Way } from "../../../core/approvals/authorize.ts";
import { approve, type Gate, type GateEvent, type GateRules, isOpen, missing, reject } from "../../../core/approvals/gate.ts";
import type { Linked } from "../../../core/approvals/link.ts";
import type { Actor } from "../../../core/people/actor.ts";
import { keep } from "../../jobs/values/values.ts";
import { changeGate, type GateOf, type Gating, gatesOfRun } from "../gates/change-gate.ts";
import { type Asked, askedAt, askedBy, noLink, rulesOf, starterOf } from "../gates/find-approval-request.ts";
import { keepForFlow, takeEarly } from "../gates/pre-approvals.ts";
import { type Linking, levelOfLink } from "../links/links.ts";
import { deciderOf } from "./approver.ts";
import { checkPayload, checkSize } from "./check-payload.ts";

export type Deciding = Gating & Linking;

/** What somebody says. */
export interface Said {
  approved: boolean;
  payload?: unknown;
  reason?: string | undefined;
}

/** A link as it came. */
export interface SentLink extends Omit<Linked, "level"> {
  signature: string;
}

/** Who says it, and how they came. */
export interface From {
  who: Decider;
  way: Way;
  link?: SentLink;
  level?: "step" | "flow";
}

/** Answers what came of it in one sentence. Throws the `approval.*` errors. */
export async function decideByLink(deciding: Deciding, link: SentLink, actor: Actor | undefined, said: Said): Promise<string> {
  const level = await levelOfLink(deciding, link.signature, link);
  if (level === undefined) throw noLink();
  const from: From = { who: deciderOf(actor, link.workspace), way: { link: true, mayStop: false }, link, level };
  if (level === "flow") return decideForFlow(deciding, link.workspace, link.id, from, said);
  return decideAt(deciding, await askedBy(deciding, link.workspace, link.id), from, said);
}

export async function decideAt(deciding: Deciding, asked: Asked, from: From, said: Said): Promise<string> {
  const { gate } = await decideGate(deciding, asked, from, said);
  return sentenceOf(gate);
}

export async function decideGate(deciding: Deciding, asked: Asked, from: From, said: Said): Promise<GateOf> {
  const { who, way } = from;
  const rules = rulesOf(asked);
  permitDecision(authorize({ rules, starter: starterOf(asked.flow) }, who, way));
  // What is decided is decided, whatever else may be wrong with what comes late.
  if (said.approved && !asked.gate.decision) await checkPayload(deciding, asked, said.payload ?? null);
  const event = await eventOf(deciding, asked.gate, who, rules, from, said);
  return changeGate(deciding, asked, asked.module, (gate) =>
    said.approved ? approve(gate, { ...event, atMs: deciding.nowMs() }) : reject(gate, rejection(deciding, event, said)),
  );
}

const REFUSALS = {
  self: "you started this run",
  notApprover: "you are none of those who are asked",
  jobToken: "a person must, and a job's token does not count",
} as const;

function permitDecision(verdict: Verdict): void {
  if (verdict === "yes") return;
  if (verdict === "signIn") throw new SvcError("approval.person", {});
  throw new SvcError("approval.refused", { reason: REFUSALS[verdict] });
}

const rejection = ({ nowMs }: Deciding, { approver: by, email, of, payload: place }: GateEvent, { reason }: Said) => ({
  by,
  email,
  reason,
  atMs: nowMs(),
  payload: { of, place },
});

/** The payload is kept first: should the rest fail, nothing names it. */
async function eventOf(
  deciding: Deciding,
  { id, workspace, expiresAtMs }: Pick<Gate, "id" | "workspace" | "expiresAtMs">,
  who: Decider,
  rules: Pick<GateRules, "signedIn"> | undefined,
  { link, level = "step" }: Pick<From, "link" | "level">,
  { payload = null, reason }: Said,
): Promise<GateEvent> {
  const json = JSON.stringify(payload);
  const email = who.kind === "link" ? undefined : who.emails.at(-1);
  const approver = who.kind === "link" ? link?.approver : who.username;
  return {
    ...(link ? { resumeId: link.resumeId } : {}),
    level,
    ...(email === undefined ? {} : { email }),
    ...(approver ? { approver } : {}),
    ...(reason ? { reason } : {}),
    counts: rules?.signedIn || !link ? "person" : "link",
    atMs: deciding.nowMs(),
    digest: createHash("sha256").update(json).digest("hex"),
    payload: await keep(deciding, { id, workspace, expiresAtMs }, "approval", json),
    of: id,
  };
}

/**
 * For whichever step of the flow asks next: the one that waits now, or else it is kept. Between the two another step may have asked: whoever
 * opens a gate looks what is kept, and this looks again for gates.
 */
async function decideForFlow(deciding: Deciding, workspace: string, id: string, from: From, said: Said): Promise<string> {
  const flow = await deciding.jobs.get(id);
  if (flow?.workspace !== workspace) throw noLink();
  const { link } = from;
  const gates = await gatesOfRun(deciding, flow.root ?? flow.id, flow.id);
  const counted = gates.find(({ events }) => events.some(({ resumeId, level }) => resumeId === link?.resumeId && level === "flow"));
  for (const gate of counted ? [counted] : gates.filter(isOpen)) {
    if (gate.opened?.kind !== "suspend") continue;
    const asked = await askedAt(deciding, gate, flow);
    const verdict = authorize({ rules: rulesOf(asked), starter: starterOf(flow) }, from.who, from.way);
    if (verdict === "signIn") permitDecision(verdict);
    if (verdict === "yes") return decideAt(deciding, asked, from, said);
  }
  checkSize(said.payload ?? null);
  const event = await eventOf(deciding, flow, from.who, undefined, from, said);
  await keepForFlow(deciding, flow, { event, ...(said.approved ? {} : { rejects: { ...(said.reason ? { reason: said.reason } : {}) } }) });
  for (const gate of (await gatesOfRun(deciding, flow.root ?? flow.id, flow.id)).filter(isOpen)) {
    const asked = await askedAt(deciding, gate, flow);
    await takeEarly(deciding, asked, asked.module);
  }
  return said.approved
    ? "Approved: the next step of the flow that asks gets it."
    : "Rejected: the next step of the flow that asks gets it.";
}

/** What is said to who has decided, or has heard nothing of it before. */
function sentenceOf(gate: Gate): string {
  const { decision } = gate;
  if (decision?.how === "rejected") return "Rejected.";
  if (decision || !gate.opened) return "Approved.";
  return `Approved: ${missing(gate)} more of ${gate.opened.rules.required} approvals are wanted.`;
}
