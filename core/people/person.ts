import { createHash } from "node:crypto";
import * as z from "zod";
import { defineObject } from "../objects/define-object.ts";

/** A user of the instance. */
export const personSchema = z.object({
  email: z.string(),
  username: z.string(),
  superAdmin: z.boolean(),
  name: z.string().optional(),
  company: z.string().optional(),
  disabled: z.boolean().optional(),
  groups: z.array(z.string()).optional(),
  /** Those of the groups whose members are superadmins. */
  roleGroups: z.array(z.string()).optional(),
  /** The user has not signed in yet. At the first sign-in, workspaces with automatic invitations add or invite the user. */
  joining: z.boolean().optional(),
  /**
   * The call that creates the user has not stored the password yet, and may do so until this time (epoch ms). After it, a repeated call
   * completes the user.
   */
  passwordUntilMs: z.number().optional(),
  createdAtMs: z.number(),
});
export type PersonRecord = z.infer<typeof personSchema>;

/** Returns whether a user is a superadmin, personally or through a group of the instance. */
export const isSuperAdmin = ({ superAdmin, roleGroups = [] }: Pick<PersonRecord, "superAdmin" | "roleGroups">): boolean =>
  superAdmin || roleGroups.length > 0;

export const PERSON_KEY_CHARS = 16;

/**
 * Returns the key of a user's items, which is also the last part of each of the user's tokens, so that one batched read fetches a token together
 * with its owner's rights. The key does not reveal the e-mail address.
 */
export function personKey(email: string): string {
  return createHash("sha256").update(email.toLowerCase()).digest("base64url").slice(0, PERSON_KEY_CHARS);
}

/** A user of the instance, by `personKey`. */
export const userObject = defineObject({
  name: "user",
  partition: "USERS",
  sort: (person: string) => person,
  belongsTo: "none",
  schema: personSchema,
});
