import { v7 as uuidv7 } from "uuid";
import { defined } from "../../contract/defined.ts";
import type { FlowModule } from "../../contract/flows/flow-value.ts";
import { triggerKinds } from "../../contract/routes/triggers/trigger-kind.ts";
import type { Decision, Gate } from "../../core/approvals/gate.ts";
import { getRunStarter, type Job } from "../../core/jobs/record/job.ts";
import { type GateNotice, getApproverChannel } from "../../core/notifications/notice.ts";
import type { RequestContent } from "../../core/notifications/request-content.ts";
import { noticeObject } from "../../core/notifications/stored-notice.ts";
import { type StoredObject, write } from "../../core/objects/write.ts";

/** The retention of a notice, in seconds. */
const RETENTION_S = 30 * 24 * 3600;

interface NoticeSubject {
  gate: Gate;
  flow: Job;
  module: FlowModule;
}

/** Builds the notice of a gate's change as a part of the change's transaction. Function `deliver` sends it. */
export const buildNoticeWrite = (atMs: number, noticeKind: GateNotice["what"], subject: NoticeSubject, content: RequestContent = {}) =>
  write.put(toNoticeObject(buildNotice(atMs, noticeKind, subject, content)));

/** Returns a notice as it is stored. */
export const toNoticeObject = (notice: GateNotice): StoredObject => ({
  ...noticeObject.key(notice.workspace, notice.id),
  value: notice,
  expiresAtS: Math.ceil(notice.atMs / 1000) + RETENTION_S,
});

/** Builds the notice of a gate. */
export function buildNotice(
  atMs: number,
  noticeKind: GateNotice["what"],
  { gate, flow, module: { id: module, summary, value } }: NoticeSubject,
  content: RequestContent = {},
): GateNotice {
  const { opened, decision } = gate;
  const consent = value.type === "consentgate" ? value : undefined;
  return {
    id: uuidv7(),
    what: noticeKind,
    workspace: gate.workspace,
    gate: gate.id,
    flow: gate.flow,
    root: gate.root,
    ...defined({ flowPath: flow.path }),
    module,
    step: summary || module,
    kind: opened?.kind ?? "suspend",
    requestedBy: flow.createdBy,
    people: opened?.rules.people ?? [],
    channel: getApproverChannel({ value }),
    ...(consent?.notification?.url ? { url: consent.notification.url } : {}),
    ...(consent?.notification?.resource_path
      ? { chat: { resource: consent.notification.resource_path, ...defined({ channel: consent.notification.channel_id || undefined }) } }
      : {}),
    ...defined({ message: opened?.message }),
    ...content,
    required: opened?.rules.required ?? 1,
    ...defined({ inChat: gate.inChat }),
    ...defined({ deadlineMs: opened?.deadlineMs }),
    ...(decision
      ? {
          decision: {
            how: decision.outcome,
            ...(decision.approver ? { by: decision.approver } : {}),
            ...(decision.reason ? { reason: decision.reason } : {}),
          },
          ...starterOf(flow, decision),
        }
      : {}),
    atMs,
  };
}

/** The person who is notified of the outcome. Runs of schedules and triggers have none, and a person who decides already knows it. */
function starterOf(flow: Job, { email }: Decision): { starter?: string } {
  const starter = getRunStarter(flow);
  // A nested flow has the kind of the trigger that started the run, but not its path.
  const isTriggered = flow.triggerPath !== undefined || triggerKinds.some((kind) => kind === flow.trigger);
  const isStartedByPerson = flow.schedulePath === undefined && !isTriggered && !flow.isHandler;
  return isStartedByPerson && email !== starter ? { starter } : {};
}
