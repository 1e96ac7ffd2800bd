import * as z from "zod";
import type { FlowModule } from "../../contract/flows/flow-value.ts";
import { type ApproverChannel, approverChannels } from "../../contract/notices/channels.ts";

/**
 * A notification about a gate: opened, reminded, escalated, decided or expired, that one of several approvals was counted, or that its run has ended without a decision. It is written in the transaction of that change, so that
 * neither exists without the other. Function `deliver` reads it from the stream of the table.
 */
export const gateNoticeSchema = z.object({
  id: z.uuid(),
  what: z.enum(["opened", "reminded", "escalated", "counted", "decided", "expired", "ended"]),
  workspace: z.string(),
  gate: z.string(),
  flow: z.string(),
  root: z.string(),
  flowPath: z.string().optional(),
  module: z.string(),
  /** The step's summary, or its id. */
  step: z.string(),
  kind: z.enum(["suspend", "consent"]),
  requestedBy: z.string(),
  /** The approvers: `u/<user>`, `g/<group>`, `role:admin` or an e-mail address. Empty: only holders of links. */
  people: z.array(z.string()),
  channel: z.enum(approverChannels),
  /** For channels that receive by URL. */
  url: z.string().optional(),
  /** For chats: the path of the resource, and the channel, if the flow names one. */
  chat: z.object({ resource: z.string(), channel: z.string().optional() }).optional(),
  message: z.string().optional(),
  /** The content of the request in a mail: the summary of the flow, the text that the step returned, and the inputs that its author chose. */
  flowSummary: z.string().optional(),
  description: z.string().optional(),
  inputs: z.array(z.object({ name: z.string(), value: z.string() })).optional(),
  /** The e-mail address of the person who started the run, to whom the outcome is sent. Absent if that person decided, and if no person started it. */
  starter: z.string().optional(),
  required: z.int(),
  /** Messages in chats ask for the decision. */
  inChat: z.boolean().optional(),
  deadlineMs: z.number().optional(),
  decision: z.object({ how: z.string(), by: z.string().optional(), reason: z.string().optional() }).optional(),
  atMs: z.number(),
});
export type GateNotice = z.infer<typeof gateNoticeSchema>;

/** Returns the channel through which the approvers of a step receive notices. */
export function getApproverChannel({ value }: Pick<FlowModule, "value">): ApproverChannel {
  return (value.type === "consentgate" ? value.notification?.channel : undefined) ?? "email";
}
