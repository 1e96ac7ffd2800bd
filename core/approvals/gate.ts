import * as z from "zod";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { retentionSchema } from "../../contract/retention.ts";
import { toIsoTime } from "../../contract/utilities/iso-time.ts";
import { valueRefSchema } from "../jobs/record/value-ref.ts";
import { gateRulesSchema, isReasonMissing } from "./rules.ts";

/** The approver in an error after a decision by a link without a name. */
export const UNNAMED_APPROVER = "an unnamed approver";

/** One approval. `resumeId` belongs to the link that was used, `email` to the user who signed in. */
export const gateEventSchema = z.object({
  resumeId: z.number().optional(),
  /** The level of the link. Resume ids of different levels are unrelated. */
  level: z.enum(["step", "flow"]),
  email: z.string().optional(),
  /** For a job: the address of the user whose rights it has, if another user started it. */
  actsFor: z.string().optional(),
  /** The person in a chat who decided there: vendor, team and id. */
  chatUser: z.string().optional(),
  /** `person`: a person counts once, whatever links they hold. `link`: each link counts. */
  countedBy: z.enum(["person", "link"]),
  /** The name that the flow sees: a user's name, or the name in the link. */
  approver: z.string().optional(),
  atMs: z.number(),
  /** SHA-256 of the payload's JSON text. A repeated event with the same digest changes nothing. */
  payloadDigest: z.string(),
  payload: valueRefSchema,
  reason: z.string().optional(),
});
export type GateEvent = z.infer<typeof gateEventSchema>;

const decisionSchema = z.object({
  outcome: z.enum(["approved", "rejected", "expired"]),
  approver: z.string().optional(),
  email: z.string().optional(),
  chatUser: z.string().optional(),
  reason: z.string().optional(),
  atMs: z.number(),
  /** The payload of a rejection. */
  payload: valueRefSchema.optional(),
});
export type Decision = z.infer<typeof decisionSchema>;

/** The state of an open gate. It includes the result that the step had before the gate opened. */
const openedSchema = z.object({
  kind: z.enum(["suspend", "consent"]),
  rules: gateRulesSchema,
  atMs: z.number(),
  deadlineMs: z.number().optional(),
  result: valueRefSchema,
  /** Further fields of the step's outcome. */
  outcomeFields: z.record(z.string(), z.unknown()),
  /** The consent gate's message, filled in. */
  message: z.string().optional(),
  /** SHA-256 of the content shown to approvers, and of the flow's code. */
  contentDigest: z.string(),
  codeDigest: z.string(),
  remindAtMs: z.number().optional(),
  escalate: z.object({ atMs: z.number(), people: z.array(z.string()) }).optional(),
  /** The approval leads only to the next step: there is no pause and no early return. */
  continuesDirectly: z.boolean(),
});
export type OpenedGate = z.infer<typeof openedSchema>;

/**
 * A point in a flow that waits for approval. Its id is the id of the step's job. The gate exists from the first event on, which may precede the
 * end of the step. `version` counts the changes; a writer must name the version that it has read.
 */
export const gateSchema = z.object({
  id: z.string(),
  revision: z.number(),
  workspace: z.string(),
  /** The flow's job, whose journal contains the step, and the first job of the run. */
  flow: z.string(),
  root: z.string(),
  module: z.string(),
  scope: z.string(),
  path: z.string(),
  opened: openedSchema.optional(),
  events: z.array(gateEventSchema),
  decision: decisionSchema.optional(),
  /** The execution whose task was sent to wait here and has not registered its token yet. */
  awaitsToken: z.object({ execution: z.number(), atMs: z.number() }).optional(),
  /** The token of the waiting task, and the state with which its machine resumes. The gate only stores that state. */
  token: z.string().optional(),
  state: z.record(z.string(), z.unknown()).optional(),
  /** Messages in chats ask for the decision, and change with each approval. */
  inChat: z.boolean().optional(),
  /** The step's outcome was written together with the decision, so the machine continues without entering the module again. */
  settled: z.boolean().optional(),
  retention: retentionSchema,
  expiresAtMs: z.number(),
});
export type Gate = z.infer<typeof gateSchema>;

/** The fields of a gate without events. */
export type GateLocation = Pick<Gate, "id" | "workspace" | "flow" | "root" | "module" | "scope" | "path" | "retention" | "expiresAtMs">;
/** Creates a gate without events. */
export const createGate = (location: GateLocation): Gate => ({ ...location, revision: 0, events: [] });

/** Returns whether a gate waits for a decision. */
export const isOpen = (gate: Gate): gate is Gate & { opened: OpenedGate } => gate.opened !== undefined && gate.decision === undefined;

/** Applies a change and increments the version. */
const updateGate = (gate: Gate, change: Partial<Gate>): Gate => ({ ...gate, ...change, revision: gate.revision + 1 });

/** Records that messages in chats ask for the decision. */
export const markInChat = (gate: Gate): Gate => (gate.inChat ? gate : updateGate(gate, { inChat: true }));

/** Returns whether messages in chats wait for the decision. */
export const waitsInChat = ({ inChat, decision }: Pick<Gate, "inChat" | "decision">): boolean => inChat === true && decision === undefined;

/**
 * Records an approval. A repeated identical approval changes nothing. Throws `approval.decided` if the gate is decided, `approval.used` if
 * the same link or person has approved with other values, and `approval.full` at the maximum number of approvals.
 */
export function recordApproval(gate: Gate, approval: GateEvent): Gate {
  const event = countAsRulesRequire(gate, approval);
  assertUndecided(gate, event.atMs);
  const same = gate.events.find((existing) => isSame(existing, event));
  if (same && same.payloadDigest === event.payloadDigest && same.email === event.email) return gate;
  if (same) throw new SvcError("approval.used", { by: same.approver ?? UNNAMED_APPROVER, at: toIsoTime(same.atMs) });
  if (gate.events.length >= limits.gateEvents) throw new SvcError("approval.full", { limit: limits.gateEvents });
  return approveIfComplete(updateGate(gate, { events: [...gate.events, event] }), event.atMs);
}

/** An approval may be older than the open gate, and may not record whether approvers must sign in. */
const countAsRulesRequire = ({ opened }: Gate, event: GateEvent): GateEvent =>
  opened?.rules.signedIn ? { ...event, countedBy: "person" } : event;

function isSame(existing: GateEvent, event: GateEvent): boolean {
  if (event.resumeId !== undefined && existing.resumeId === event.resumeId && existing.level === event.level) return true;
  if (event.chatUser !== undefined && existing.chatUser === event.chatUser) return true;
  return event.countedBy === "person" && existing.countedBy === "person" && haveSamePerson(existing, event);
}

/** A job counts as the user who started it and as the user whose rights it has. Neither user counts a second time. */
function haveSamePerson(existing: GateEvent, event: GateEvent): boolean {
  if (existing.email === event.email) return true;
  const people = new Set([existing.email, existing.actsFor].flatMap((email) => email ?? []));
  return [event.email, event.actsFor].some((email) => email !== undefined && people.has(email));
}

/** Records a rejection; one is enough. Throws `approval.decided`, and `approval.reasonRequired` if the gate requires a reason. */
export function recordRejection(gate: Gate, decision: Omit<Decision, "outcome">): Gate {
  assertUndecided(gate, decision.atMs);
  if (gate.opened && isReasonMissing(gate.opened.rules, decision.reason)) throw new SvcError("approval.reasonRequired", {});
  return updateGate(gate, { decision: { ...decision, outcome: "rejected" } });
}

/** Returns a gate without some of its approvals. */
export function removeEvents(gate: Gate, removedEvents: readonly GateEvent[]): Gate {
  if (removedEvents.length === 0) return gate;
  const isRemoved = (event: GateEvent) =>
    removedEvents.some(({ atMs, email, resumeId }) => event.atMs === atMs && event.email === email && event.resumeId === resumeId);
  return { ...gate, events: gate.events.filter((event) => !isRemoved(event)) };
}

/** Opens a gate after its step has ended. Earlier approvals may already be enough. `execution` is the one whose task is sent to wait. */
export function markGateOpen(gate: Gate, opened: OpenedGate, execution: number): Gate {
  if (gate.opened) return gate;
  return approveIfComplete(updateGate(gate, { opened, awaitsToken: { execution, atMs: opened.atMs } }), opened.atMs);
}

/** Notes that an execution is sent to wait at an open gate. Returns the same gate if this is already recorded. */
export function awaitToken(gate: Gate, execution: number, nowMs: number): Gate {
  return !isOpen(gate) || gate.awaitsToken?.execution === execution ? gate : updateGate(gate, { awaitsToken: { execution, atMs: nowMs } });
}

/**
 * Returns whether the token of an execution's task is lost, because the function died while it registered the token. An execution that has not
 * reached the gate yet has not lost its token, however long it takes: replacing it would restart it from the beginning.
 */
export const isTaskTokenLost = ({ awaitsToken }: Gate, execution: number, nowMs: number): boolean =>
  awaitsToken?.execution === execution && awaitsToken.atMs + limits.taskTokenMs <= nowMs;

/** Expires a gate after its deadline. Returns the same gate before the deadline, or if it is decided. */
export function expireGate(gate: Gate, nowMs: number): Gate {
  if (!isOpen(gate) || !isGateLate(gate, nowMs)) return gate;
  return updateGate(gate, { decision: { outcome: "expired", atMs: nowMs } });
}

/** Returns whether the gate's deadline has passed at `nowMs`. */
export const isGateLate = ({ opened }: Gate, nowMs: number) => opened?.deadlineMs !== undefined && opened.deadlineMs <= nowMs;

/** Adds the escalation group to the approvers of a gate. Earlier approvers may still decide. */
export function escalateGate(gate: Gate, nowMs: number): Gate {
  const { escalate: to } = gate.opened ?? {};
  if (!isOpen(gate) || !to || to.atMs > nowMs) return gate;
  const { escalate: _, ...opened } = gate.opened;
  const people = [...new Set([...(opened.rules.people ?? []), ...to.people])];
  return updateGate(gate, { opened: { ...opened, rules: { ...opened.rules, people } } });
}

/** Marks a gate as reminded. Approvers are reminded once. */
export function remindApprovers(gate: Gate, nowMs: number): Gate {
  if (!isOpen(gate) || gate.opened.remindAtMs === undefined || gate.opened.remindAtMs > nowMs) return gate;
  const { remindAtMs: _, ...opened } = gate.opened;
  return updateGate(gate, { opened });
}

/** Registers the task that waits. The last registered task is the one that is resumed. */
export function setTaskToken(gate: Gate, token: string, state: NonNullable<Gate["state"]>): Gate {
  if (gate.token === token) return gate;
  return updateGate(gate, { token, state, ...(gate.awaitsToken?.execution === state["execution"] ? { awaitsToken: undefined } : {}) });
}

/** Returns the time of the gate's next timed change (epoch ms). */
export function gateDueAtMs({ opened, decision }: Gate): number | undefined {
  const times = decision || !opened ? [] : [opened.deadlineMs, opened.remindAtMs, opened.escalate?.atMs].flatMap((time) => time ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Lists the approvers in the order of their approvals. An approval by link may have no name. */
export const listApprovers = ({ events }: Pick<Gate, "events">) =>
  events.map(({ resumeId = 0, approver = "anonymous" }) => ({ resume_id: resumeId, approver }));
/** Lists the names of the approvers in the order of their approvals. */
export const listApproverNames = (gate: Pick<Gate, "events">) => listApprovers(gate).map(({ approver }) => approver);

/** Returns the number of approvals that are still required. */
export const countMissingApprovals = ({ opened, events }: Pick<Gate, "opened" | "events">): number =>
  Math.max(0, (opened?.rules.required ?? 0) - events.length);

function approveIfComplete(gate: Gate, atMs: number): Gate {
  if (!isOpen(gate) || countMissingApprovals(gate) > 0) return gate;
  const last = gate.events.at(-1);
  return { ...gate, decision: { outcome: "approved", approver: last?.approver, email: last?.email, reason: last?.reason, atMs } };
}

/** Throws `approval.decided` if a gate is decided, or its deadline has passed. */
export function assertUndecided(gate: Gate, nowMs: number): void {
  if (gate.decision) throw decided(gate.decision);
  // The deadline has passed, but the expiry is not recorded yet.
  if (isGateLate(gate, nowMs)) throw decided({ outcome: "expired", atMs: gate.opened?.deadlineMs ?? nowMs });
}

/** Describes a decision in an error sentence. */
const outcomeOf = ({ outcome, approver = "an unnamed approver" }: Pick<Decision, "outcome" | "approver">) =>
  outcome === "expired" ? "no decision was made in time" : `${outcome} by ${approver}`;

const decided = (decision: Decision) => new SvcError("approval.decided", { outcome: outcomeOf(decision), at: toIsoTime(decision.atMs) });

/** Returns the error for the next step, or for the flow, if the gate was rejected or expired. */
export function toGateError({ decision, opened }: Gate): { name: string; message: string; reason?: string } | undefined {
  if (!decision || decision.outcome === "approved") return undefined;
  const { outcome, approver = "unknown", reason } = decision;
  const because = reason ? { reason } : {};
  if (opened?.kind === "consent") {
    const message = outcome === "expired" ? "No approver decided in time" : `Rejected by ${approver}${reason ? `: ${reason}` : ""}`;
    return { name: "ConsentRejected", message, reason: reason ?? (outcome === "expired" ? "timeout" : "") };
  }
  if (outcome === "expired") return { name: "SuspendedTimedOut", message: "Timed out waiting to be resumed" };
  return { name: "SuspendedDisapproved", message: `Disapproved by ${approver}`, ...because };
}
