import * as z from "zod";
import { gateNoticeSchema } from "../notifications/notice.ts";

/** The labels of the buttons, if the caller chose them, and whether there is one to reject. */
export const chatButtonsSchema = z.object({
  approve: z.string().optional(),
  reject: z.string().optional(),
  hidesReject: z.boolean().optional(),
});
export type ChatButtons = z.infer<typeof chatButtonsSchema>;

/** Default values and choices of fields of the form, by their names, if the caller chose them. */
export const chatFormOptionsSchema = z.object({
  defaults: z.record(z.string(), z.unknown()).optional(),
  enums: z.record(z.string(), z.array(z.string())).optional(),
});
export type ChatFormOptions = z.infer<typeof chatFormOptionsSchema>;

/** A message that asks for an approval, stored with the flow's job. */
export const chatMessageSchema = z.object({
  /** A random id, by which the buttons of the message name it. */
  id: z.uuid(),
  workspace: z.string(),
  flow: z.string(),
  gate: z.string(),
  /** The path of the resource with which the message was posted. */
  resource: z.string(),
  /** The channel and the message in it, as the vendor names them. */
  channel: z.string(),
  ts: z.string(),
  /** The address of the vendor's server that has the channel, where it is not always the same. */
  server: z.string().optional(),
  /** The content that the message shows, which remains when the decision is added. */
  shown: gateNoticeSchema,
  buttons: chatButtonsSchema.optional(),
  form: chatFormOptionsSchema.optional(),
  atMs: z.number(),
});
export type ChatMessage = z.infer<typeof chatMessageSchema>;

/**
 * Returns the text that the buttons of a message contain: the place of its record. The text gives no right, because a decision counts only if the
 * record names the clicked message.
 */
export const toReference = ({ flow, gate, id }: Pick<ChatMessage, "flow" | "gate" | "id">): string => `${flow}.${gate}.${id}`;

const referenceSchema = z.tuple([z.uuid(), z.uuid(), z.uuid()]);

/** Parses the text of `toReference`; `undefined` for any other text. */
export function parseReference(text: string): Pick<ChatMessage, "flow" | "gate" | "id"> | undefined {
  const { data } = referenceSchema.safeParse(text.slice(0, 200).split("."));
  if (!data) return undefined;
  const [flow, gate, id] = data;
  return { flow, gate, id };
}
