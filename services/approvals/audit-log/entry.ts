import { defined } from "../../../contract/defined.ts";
import type { Decision, Gate, GateEvent } from "../../../core/approvals/gate.ts";
import type { EntryContent } from "../../../core/approvals/record.ts";
import { type Job, willBeErased } from "../../../core/jobs/record/job.ts";
import type { GateNotice } from "../../../core/notifications/notice.ts";
import type { ObjectStore } from "../../../ports/object-store.ts";
import type { TransactionPart } from "../../outbox/commit-parts.ts";
import { buildEntryParts } from "./append.ts";

/** Returns the audit log entry of a gate's change as parts of the change's transaction. Only approvals, rejections and expiries have one. */
export async function buildAuditLogWrites(objects: ObjectStore, flow: Job, before: Gate, after: Gate): Promise<TransactionPart["write"][]> {
  const entry = toEntry(flow, before, after);
  return entry ? (await buildEntryParts({ objects }, entry)).map(({ write }) => write) : [];
}

/** Returns the kinds of notices that follow from a gate's change. */
export function notificationsFor(
  { opened: before, decision: earlierDecision, events: earlierEvents }: Gate,
  { opened: after, decision, events, inChat }: Gate,
): GateNotice["what"][] {
  if (!after) return [];
  if (!before) return decision ? [] : ["opened"];
  if (decision) return earlierDecision ? [] : [decision.outcome === "expired" ? "expired" : "decided"];
  return [
    ...(inChat && events.length > earlierEvents.length ? (["counted"] as const) : []),
    // New approvers get the notice of an opened gate; earlier approvers get a reminder.
    ...(before.escalate && !after.escalate ? (["escalated"] as const) : []),
    ...(before.remindAtMs !== undefined && after.remindAtMs === undefined ? (["reminded"] as const) : []),
  ];
}

function toEntry(flow: Job, before: Gate, after: Gate): EntryContent | undefined {
  const { workspace, root, id: gate, module, opened, decision } = after;
  const event = after.events.length > before.events.length ? after.events.at(-1) : undefined;
  const fresh = before.decision ? undefined : decision;
  if (!event && (!fresh || fresh.outcome === "approved")) return undefined;
  return {
    workspace,
    root,
    flow: flow.id,
    gate,
    module,
    ...defined({ flowPath: flow.path, flowVersion: flow.flow?.version }),
    ...codeField(opened?.codeDigest ?? flow.hash),
    what: event ? "approved" : (fresh?.outcome ?? "expired"),
    decides: fresh !== undefined,
    ...(opened ? { shown: opened.contentDigest } : {}),
    // For a run whose data is erased, the log contains the digest of the payload only.
    ...(event ? eventFields(event, willBeErased(flow)) : decisionFields(fresh)),
  };
}

const codeField = (code: string | undefined) => (code === undefined ? {} : { code });

function eventFields(
  { approver: name, email, resumeId, chatUser: chat, atMs, payloadDigest: digest, payload, reason }: GateEvent,
  erased: boolean,
) {
  return {
    who: { ...(name ? { name } : {}), ...(email ? { email } : {}), ...defined({ resumeId, chat }) },
    atMs,
    values: { digest, of: payload.jobId, ...(erased && payload.location.in === "head" ? {} : { place: payload.location }) },
    ...(reason ? { reason } : {}),
  };
}

function decisionFields(decision: Decision | undefined) {
  const { approver: name, email, reason, atMs = 0 } = decision ?? {};
  return { who: { ...(name ? { name } : {}), ...(email ? { email } : {}) }, atMs, ...(reason ? { reason } : {}) };
}
