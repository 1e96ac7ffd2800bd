import { limits } from "../../contract/limits.ts";
import { toIsoTime } from "../../contract/utilities/iso-time.ts";
import type { GateNotice } from "./notice.ts";

/** Returns the URL of a gate's approval page for signed-in users. Opening it decides nothing. */
export const approvalPageUrl = (baseUrl: string, { workspace, gate }: Pick<GateNotice, "workspace" | "gate">) =>
  `${baseUrl}/approve/${workspace}/${gate}`;

/** Shortens a text to a number of characters. Surrogate pairs remain whole. */
export const shortenText = (text: string, chars: number) => {
  const whole = [...text];
  return whole.length > chars ? `${whole.slice(0, chars - 1).join("")}…` : text;
};

const omitUndefined = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/**
 * Builds the message for published channels and for webhooks, in the form of Standard Webhooks. It identifies objects by id and gives no right to
 * decide.
 */
export function buildNoticeEvent(baseUrl: string, notice: GateNotice) {
  const { decision, deadlineMs, message } = notice;
  return {
    type: `approval.${notice.what}`,
    timestamp: toIsoTime(notice.atMs),
    data: omitUndefined({
      workspace_id: notice.workspace,
      run_id: notice.root,
      flow_id: notice.flow,
      flow_path: notice.flowPath,
      gate_id: notice.gate,
      module_id: notice.module,
      step: shortenText(notice.step, limits.noticeTextChars),
      kind: notice.kind,
      requested_by: notice.requestedBy,
      approvers: notice.people,
      required_events: notice.required,
      message: message === undefined ? undefined : shortenText(message, limits.noticeTextChars),
      deadline: deadlineMs === undefined ? undefined : toIsoTime(deadlineMs),
      decision: decision && omitUndefined(decision),
      page: approvalPageUrl(baseUrl, notice),
    }),
  };
}

/**
 * Builds the attributes by which receivers of published notices can filter. `flow`: the path, or the id of the flow's job if it is not stored.
 */
export function buildGateAttributes({ workspace, what, kind, flow, flowPath, module }: GateNotice): Record<string, string> {
  return { workspace, what, kind, flow: flowPath ?? flow, module };
}
