import { v7 as uuidv7 } from "uuid";
import type { FlowModule } from "../../contract/flows/flow-value.ts";
import type { Gate } from "../../core/approvals/gate.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { GateNotice } from "../../core/notifications/notice.ts";
import { keys } from "../../core/objects/keys.ts";
import { write } from "../../core/objects/write.ts";

/** How long a notice is stored. */
const NOTICE_KEPT_S = 30 * 24 * 3600;

/** Builds the notice of a gate's change as a part of the change's transaction. Function `deliver` sends it. */
export function buildNoticeWrite(
  atMs: number,
  gate: Gate,
  flow: Job,
  { id: module, summary, value }: FlowModule,
  what: GateNotice["what"],
) {
  const { opened, decision } = gate;
  const consent = value.type === "consentgate" ? value : undefined;
  const notice: GateNotice = {
    id: uuidv7(),
    what,
    workspace: gate.workspace,
    gate: gate.id,
    flow: gate.flow,
    root: gate.root,
    ...(flow.path === undefined ? {} : { flowPath: flow.path }),
    module,
    step: summary || module,
    kind: opened?.kind ?? "suspend",
    requestedBy: flow.createdBy,
    people: opened?.rules.people ?? [],
    channel: consent?.notification?.channel ?? "email",
    ...(consent?.notification?.url ? { url: consent.notification.url } : {}),
    ...(opened?.message === undefined ? {} : { message: opened.message }),
    required: opened?.rules.required ?? 1,
    ...(opened?.deadlineMs === undefined ? {} : { deadlineMs: opened.deadlineMs }),
    ...(decision
      ? {
          decision: {
            how: decision.how,
            ...(decision.by ? { by: decision.by } : {}),
            ...(decision.reason ? { reason: decision.reason } : {}),
          },
        }
      : {}),
    atMs,
  };
  return write.put({ ...keys.notice(gate.workspace, notice.id), value: notice, expiresAtS: Math.ceil(atMs / 1000) + NOTICE_KEPT_S });
}
