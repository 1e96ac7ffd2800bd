import * as z from "zod";
import type { Decision } from "../approvals/gate.ts";
import { type GateNotice, gateNoticeSchema } from "../notifications/notice.ts";
import { chatButtonsSchema } from "./chat-message.ts";

/** A person in a chat, as the vendor's signed call names them. */
export const chatUserSchema = z.object({
  vendor: z.literal("slack"),
  team: z.string(),
  id: z.string(),
  name: z.string(),
  /** A confirmed address, if the resource trusts those of its chat. */
  email: z.string().optional(),
});
export type ChatUser = z.infer<typeof chatUserSchema>;

/** Identifies a person in a chat. */
export const chatUserKey = ({ vendor, team, id }: ChatUser): string => `${vendor}:${team}:${id}`;

/** A decision in a chat. Function `chat` has checked the vendor's signature; function `approve` checks the right to decide. */
export const chatDecisionSchema = z.object({
  kind: z.literal("chatDecision"),
  workspace: z.string(),
  resource: z.string(),
  /** The text of `toReference`, and the message that was clicked. */
  reference: z.string(),
  channel: z.string(),
  ts: z.string(),
  user: chatUserSchema,
  approved: z.boolean(),
  reason: z.string().optional(),
});
export type ChatDecision = z.infer<typeof chatDecisionSchema>;

/** A message that a step asks for. Function `approve` has checked the right to read the resource; function `deliver` posts it. */
export const chatPostSchema = z.object({
  kind: z.literal("chatPost"),
  /** The id of the message, which is the same in a repeated call. */
  id: z.uuid(),
  resource: z.string(),
  channel: z.string().optional(),
  request: gateNoticeSchema,
  buttons: chatButtonsSchema.optional(),
});
export type ChatPost = z.infer<typeof chatPostSchema>;

/** The decision of a gate, as messages show it. */
export interface ShownDecision {
  how: string;
  by?: string | undefined;
  reason?: string | undefined;
  atMs: number;
}

/** Returns the decision of a gate as messages show it. */
export const toShownDecision = ({ outcome: how, approver: by, reason, atMs }: Decision): ShownDecision => ({ how, by, reason, atMs });

/** The answer to a decision in a chat. It is `refused` if nothing has changed. Only the person sees the text. */
export interface ChatDecisionAnswer {
  outcome: "counted" | "refused";
  text: string;
  /** The gate requires a reason for a rejection. */
  needsReason?: true;
  /** The gate was decided before, so the message shows an old state: the notice that it shows, and the decision. */
  correction?: { notice: GateNotice; decision: ShownDecision };
}
