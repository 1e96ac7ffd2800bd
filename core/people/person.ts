import { createHash } from "node:crypto";
import * as z from "zod";

/** A user of the instance. */
export const personSchema = z.object({
  email: z.string(),
  username: z.string(),
  superAdmin: z.boolean(),
  name: z.string().optional(),
  company: z.string().optional(),
  disabled: z.boolean().optional(),
  groups: z.array(z.string()).optional(),
  /** Has not signed in yet: then workspaces that ask for new users get them. */
  joining: z.boolean().optional(),
  createdAtMs: z.number(),
});
export type PersonRecord = z.infer<typeof personSchema>;

export const PERSON_KEY_CHARS = 16;

/**
 * The key that a user's items stand under, and the end of each of their tokens: it lets one batched read fetch a token together with
 * its owner's rights. It tells nothing about the address.
 */
export function personKey(email: string): string {
  return createHash("sha256").update(email.toLowerCase()).digest("base64url").slice(0, PERSON_KEY_CHARS);
}
