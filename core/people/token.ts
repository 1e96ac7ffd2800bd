import { createHash, randomBytes } from "node:crypto";
import * as z from "zod";
import { limits } from "../../contract/limits.ts";
import { PERSON_KEY_CHARS, personKey } from "./person.ts";

/** A token as it is stored: under the SHA-256 of its value, never the value itself. Identity stands in it so that one read authenticates. */
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
  /** Made by signing in; it is renewed, and left out of lists on request. */
  session: z.boolean().optional(),
  createdAtMs: z.number(),
  lastUsedAtMs: z.number(),
  expiresAtMs: z.number().optional(),
});
export type TokenRecord = z.infer<typeof tokenRecordSchema>;

export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

const SECRET_CHARS = 43;

/** 256 random bits in base64url, then the key of whom it belongs to. */
export function createTokenValue(email: string): { value: string; hash: string; prefix: string } {
  const value = randomSecret() + personKey(email);
  return { value, hash: hashToken(value), prefix: value.slice(0, limits.tokenPrefixChars) };
}

/** Never begins with a dash: command lines would take it for an option. */
function randomSecret(): string {
  for (;;) {
    const secret = randomBytes(32).toString("base64url");
    if (!secret.startsWith("-")) return secret;
  }
}

/** Whose token it says to be: a hint where to read, which counts only when its record names the same person. Tokens of release 0.1 have none. */
export function parseOwnerKey(token: string): string | undefined {
  return token.length === SECRET_CHARS + PERSON_KEY_CHARS ? token.slice(SECRET_CHARS) : undefined;
}

/** `last_used_at` is written at most this often, so that using a token costs no write. */
export const LAST_USED_EVERY_MS = 3_600_000;

/** What looks like a job's token: a JWT has two dots, ours have none. */
export function isJobToken(token: string): boolean {
  return token.includes(".");
}

/** What a job's token says. */
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
