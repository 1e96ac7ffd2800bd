import { createHash, timingSafeEqual } from "node:crypto";
import * as z from "zod";
import { limits } from "../../contract/limits.ts";

/** Where one can sign in from. On AWS the issuer is the user pool, which speaks with the provider; locally it is the provider itself. */
export const loginSchema = z.object({
  name: z.string(),
  displayName: z.string().optional(),
  issuer: z.string(),
  clientId: z.string(),
  /** In Secrets Manager; absent for a client that has none. */
  clientSecretName: z.string().optional(),
  /** What the user pool calls the provider, so that it leads there at once. */
  identityProvider: z.string().optional(),
});
export type Login = z.infer<typeof loginSchema>;

/** What a browser holds, sealed, while it is at the provider. */
export const pendingLoginSchema = z.object({
  client: z.string(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  untilMs: z.number(),
  /** The page of ours to come back to. */
  returnTo: z.string().optional(),
});
export type PendingLogin = z.infer<typeof pendingLoginSchema>;

const hashed = (text: string) => createHash("sha256").update(text).digest();
/** What is remembered of a sign-in that has come back. */
export const hashUsedLogin = (state: string) => hashed(state).toString("hex");

/** Whether what came back belongs to what this browser began, and in time. */
export function isExpectedCallback(pending: PendingLogin, client: string, state: string, nowMs: number): boolean {
  const inTime = nowMs < pending.untilMs && pending.untilMs - nowMs <= limits.loginMs;
  return inTime && pending.client === client && timingSafeEqual(hashed(pending.state), hashed(state));
}

/** What a provider says of who signed in. Some send the boolean as text. */
const claimsSchema = z.object({
  email: z.email().max(320),
  email_verified: z.union([z.boolean(), z.enum(["true", "false"]).transform((text) => text === "true")]),
  name: z.string().max(200).optional().catch(undefined),
});

/** Only an address that the provider itself has verified says who somebody is; `undefined` without one. */
export function parseVerifiedPerson(claims: unknown): { email: string; name: string | undefined } | undefined {
  const parsed = claimsSchema.safeParse(claims);
  return parsed.success && parsed.data.email_verified ? { email: parsed.data.email, name: parsed.data.name } : undefined;
}
