import * as z from "zod";

/** An invitation, as it is stored and shown. */
export const inviteSchema = z.object({ workspace_id: z.string(), email: z.string(), is_admin: z.boolean(), operator: z.boolean() });
export type InviteJson = z.output<typeof inviteSchema>;
