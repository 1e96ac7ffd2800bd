import * as z from "zod";
import { chatVendors } from "../../contract/notices/chat-vendors.ts";
import type { Decision } from "../approvals/gate.ts";
import { type GateNotice, gateNoticeSchema } from "../notifications/notice.ts";
import type { ChatContent } from "./chat-content.ts";
import { chatButtonsSchema, chatFormOptionsSchema } from "./chat-message.ts";
import type { ChatForm } from "./form/chat-form.ts";
import type { FieldErrors } from "./form/read-values.ts";

/** A person in a chat, as the vendor's signed call names them. */
export const chatUserSchema = z.object({
  vendor: z.enum(chatVendors),
  team: z.string(),
  id: z.string(),
  name: z.string(),
  /** The id by which the vendor takes direct messages to the person, if it is another one. */
  account: z.string().optional(),
  /** The app that names the person, as `identifyChatApp` does. */
  app: z.string(),
  /** The person is a member of the team: no guest, no stranger in a shared channel, and no bot. The clicks of others never count as those of a user. */
  isMember: z.boolean(),
  /** The confirmed address of a member. */
  address: z.string().optional(),
  /** The same address, if the resource trusts those of its chat. */
  email: z.string().optional(),
});
export type ChatUser = z.infer<typeof chatUserSchema>;

/** Identifies a person in a chat. */
export const chatUserKey = ({ vendor, team, id }: ChatUser): string => `${vendor}:${team}:${id}`;

/** The input of a person in a field of a dialog: a text, the ids of choices, or files. */
const chatInputSchema = z.union([
  z.object({ text: z.string() }),
  z.object({ chosen: z.array(z.string()) }),
  z.object({ files: z.array(z.object({ name: z.string(), type: z.string(), base64: z.string() })) }),
]);
export type ChatInput = z.infer<typeof chatInputSchema>;

/** A person's use of a message. Function `chat` has checked the vendor's signature; function `approve` checks the right to decide. */
const chatUseSchema = z.object({
  workspace: z.string(),
  resource: z.string(),
  /** The text of `toReference`, and the message that was clicked. */
  reference: z.string(),
  channel: z.string(),
  ts: z.string(),
  user: chatUserSchema,
});
export type ChatUse = z.infer<typeof chatUseSchema>;

/** A decision in a chat. */
export const chatDecisionSchema = chatUseSchema.extend({
  kind: z.literal("chatDecision"),
  approved: z.boolean(),
  reason: z.string().optional(),
  /** The inputs of the step's form, by the ids of its fields. An approval without them requests the form of a step that has one. */
  inputs: z.record(z.string(), chatInputSchema).optional(),
});
export type ChatDecision = z.infer<typeof chatDecisionSchema>;

/** A request for the form of a step, which decides nothing. */
export const chatFormRequestSchema = chatUseSchema.extend({ kind: z.literal("chatForm") });
export type ChatFormRequest = z.infer<typeof chatFormRequestSchema>;

/** A request for the present content of a message, which decides nothing. */
const chatContentRequestSchema = chatUseSchema.extend({ kind: z.literal("chatContent") });
export type ChatContentRequest = z.infer<typeof chatContentRequestSchema>;

/** The calls that function `approve` takes from function `chat`. */
export const chatCallSchema = z.discriminatedUnion("kind", [chatDecisionSchema, chatFormRequestSchema, chatContentRequestSchema]);
export type ChatCall = z.infer<typeof chatCallSchema>;

/** A message that a step asks for. Function `approve` has checked the right to read the resource; function `deliver` posts it. */
export const chatPostSchema = z.object({
  kind: z.literal("chatPost"),
  /** The id of the message, which is the same in a repeated call. */
  id: z.uuid(),
  resource: z.string(),
  channel: z.string().optional(),
  request: gateNoticeSchema,
  buttons: chatButtonsSchema.optional(),
  form: chatFormOptionsSchema.optional(),
});
export type ChatPost = z.infer<typeof chatPostSchema>;

/** The decision of a gate, as messages show it. */
export interface ShownDecision {
  how: string;
  by?: string | undefined;
  reason?: string | undefined;
  atMs: number;
}

/** The run has ended without a decision, for example because it was canceled. */
export const RUN_OVER = "over";

/** Returns the decision of a gate as messages show it. */
export const toShownDecision = ({ outcome: how, approver: by, reason, atMs }: Decision): ShownDecision => ({ how, by, reason, atMs });

/** The answer to a person who decides or opens a form. `form` and `refused`: nothing has changed. Only the person sees the text. */
export type ChatAnswer = { outcome: "counted"; text: string } | { outcome: "form"; form: ChatForm } | ChatRefusal;

/** The answer to a request for the content of a message. */
export type ChatContentAnswer = { outcome: "content"; content: ChatContent } | ChatRefusal;

export interface ChatRefusal {
  outcome: "refused";
  text: string;
  /** The gate requires a reason for a rejection. */
  needsReason?: true;
  /** The faults of the submitted form. */
  fieldErrors?: FieldErrors;
  /** The gate was decided before, so the message shows an old state: the notice that it shows, and the decision. */
  correction?: { notice: GateNotice; decision: ShownDecision };
}
