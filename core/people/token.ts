import { createHash, randomBytes } from "node:crypto";
import * as z from "zod";
import { limits } from "../../contract/limits.ts";
import { defineObject } from "../objects/define-object.ts";
import { PERSON_KEY_CHARS, personKey } from "./person.ts";

/** A stored token, under the SHA-256 of its value, never the value itself. It contains the identity, so that one read authenticates. */
export const tokenRecordSchema = z.object({
  hash: z.string(),
  prefix: z.string(),
  email: z.string(),
  username: z.string(),
  superAdmin: z.boolean(),
  label: z.string().optional(),
  workspace: z.string().optional(),
  scopes: z.array(z.string()).optional(),
  readOnly: z.boolean().optional(),
  /** Created by a sign-in. It is renewed, and omitted from lists on request. */
  session: z.boolean().optional(),
  createdAtMs: z.number(),
  lastUsedAtMs: z.number(),
  expiresAtMs: z.number().optional(),
});
export type TokenRecord = z.infer<typeof tokenRecordSchema>;

/** Returns the SHA-256 of a token in hex. */
export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

const SECRET_CHARS = 43;

/** Creates a token: 256 random bits in base64url, followed by the key of its owner. */
export function createTokenValue(email: string): { value: string; hash: string; prefix: string } {
  const value = randomSecret() + personKey(email);
  return { value, hash: hashToken(value), prefix: value.slice(0, limits.tokenPrefixChars) };
}

/** The first character is never a dash, because command lines would treat the token as an option. */
function randomSecret(): string {
  for (;;) {
    const secret = randomBytes(32).toString("base64url");
    if (!secret.startsWith("-")) return secret;
  }
}

/**
 * Returns the owner's key in a token, or `undefined` for text of another length, which is no token. It only locates the items: it is valid only
 * if the token's record names the same person.
 */
export function parseOwnerKey(token: string): string | undefined {
  return token.length === SECRET_CHARS + PERSON_KEY_CHARS ? token.slice(SECRET_CHARS) : undefined;
}

/** `last_used_at` is written at most this often, so that using a token costs no write. */
export const LAST_USED_EVERY_MS = 3_600_000;

/** Returns whether a token is a job's token. A JWT contains two dots, other tokens contain none. */
export function isJobToken(token: string): boolean {
  return token.includes(".");
}

/** The claims of a job's token. */
export const jobClaimsSchema = z.object({
  sub: z.string(),
  job: z.string(),
  att: z.number(),
  ws: z.string(),
  usr: z.string(),
  pa: z.string(),
  sa: z.boolean(),
});
export type JobClaims = z.infer<typeof jobClaimsSchema>;

export const tokenObject = defineObject({
  name: "token",
  partition: "TOKEN",
  within: (hash: string) => hash,
  sort: () => "token",
  belongsTo: "value",
  schema: tokenRecordSchema,
});

/** A user's tokens by prefix, so that they can be listed and deleted without their values. */
export const userTokenObject = defineObject({
  name: "token of a user",
  partition: "USER",
  within: (email: string) => email.toLowerCase(),
  sort: (prefix: string, hash: string) => `token#${prefix}#${hash}`,
  belongsTo: "value",
  schema: tokenRecordSchema,
});
