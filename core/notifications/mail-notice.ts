import * as z from "zod";

/**
 * A mail to people about a change that concerns no gate. It is written in the transaction of that change, so that neither exists without the
 * other. Function `deliver` reads it from the stream of the table.
 */
export const mailNoticeSchema = z.object({
  kind: z.literal("mail"),
  id: z.uuid(),
  /** The workspace, or `INSTANCE`. */
  workspace: z.string(),
  /** The recipients: e-mail addresses, `u/<user>`, `g/<group>` or `role:admin`. Each address receives one mail. */
  people: z.array(z.string()),
  subject: z.string(),
  /** The paragraphs of the text. They contain no secret. */
  lines: z.array(z.string()),
  /** A page of the service, as a path that begins with `/`. */
  page: z.string().optional(),
  atMs: z.number(),
});
export type MailNotice = z.infer<typeof mailNoticeSchema>;
