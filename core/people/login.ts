import { createHash, timingSafeEqual } from "node:crypto";
import * as z from "zod";
import { limits } from "../../contract/limits.ts";
import { defineObject, withoutValue } from "../objects/define-object.ts";

/** An identity provider. On AWS the issuer is the user pool, which delegates to the provider; locally it is the provider itself. */
export const loginSchema = z.object({
  name: z.string(),
  displayName: z.string().optional(),
  issuer: z.string(),
  clientId: z.string(),
  /** The name of the secret in Secrets Manager. Absent for a client without a secret. */
  clientSecretName: z.string().optional(),
  /** The name of the provider in the user pool, so that the user is redirected there directly. */
  identityProvider: z.string().optional(),
});
export type Login = z.infer<typeof loginSchema>;

/** The sealed state of a sign-in, which the browser stores while it is at the provider. */
export const pendingLoginSchema = z.object({
  client: z.string(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  untilMs: z.number(),
  /** The page to return to after sign-in. */
  returnTo: z.string().optional(),
});
export type PendingLogin = z.infer<typeof pendingLoginSchema>;

const hashed = (text: string) => createHash("sha256").update(text).digest();
/** Returns the hash under which a completed sign-in is stored. */
export const hashUsedLogin = (state: string) => hashed(state).toString("hex");

/** Returns whether a callback belongs to the sign-in that this browser started, and arrived in time. */
export function isExpectedCallback(pending: PendingLogin, client: string, state: string, nowMs: number): boolean {
  const inTime = nowMs < pending.untilMs && pending.untilMs - nowMs <= limits.loginMs;
  return inTime && pending.client === client && timingSafeEqual(hashed(pending.state), hashed(state));
}

/** The claims of a provider. Some providers send the boolean as text. */
const claimsSchema = z.object({
  email: z.email().max(320),
  email_verified: z.union([z.boolean(), z.enum(["true", "false"]).transform((text) => text === "true")]),
  name: z.string().max(200).optional().catch(undefined),
});

/** Returns the person in a provider's claims. Returns `undefined` unless the provider has verified the e-mail address. */
export function parseVerifiedPerson(claims: unknown): { email: string; name: string | undefined } | undefined {
  const parsed = claimsSchema.safeParse(claims);
  return parsed.success && parsed.data.email_verified ? { email: parsed.data.email, name: parsed.data.name } : undefined;
}

/** The wrapped key that seals pending sign-ins. */
export const loginKeyObject = defineObject({
  name: "key of sign-ins",
  partition: "LOGINKEY",
  sort: () => "key",
  belongsTo: "none",
  schema: z.object({ wrapped: z.string() }),
});

/** A completed sign-in, which prevents a second use. */
export const usedLoginObject = defineObject({
  name: "completed sign-in",
  partition: "LOGIN",
  within: (hash: string) => hash,
  sort: () => "used",
  belongsTo: "none",
  ...withoutValue,
});
