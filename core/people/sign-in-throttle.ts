import * as z from "zod";
import { defineObject } from "../objects/define-object.ts";

/** The failed attempts that still count against an account or an address, at the time of the last one. */
export const signInAttemptsSchema = z.object({ count: z.number(), lastAtMs: z.number() });
export type SignInAttempts = z.infer<typeof signInAttemptsSchema>;

/**
 * `free`: attempts without a delay. Each further one doubles the delay, from one second to `maxDelayMs`. One attempt is forgotten after
 * `forgottenMs`, so a person waits for a limited time after any number of failures.
 */
export interface ThrottleRule {
  free: number;
  maxDelayMs: number;
  forgottenMs: number;
}

/**
 * Cognito locks an account after five failures too, for one second and then for twice as long each time, up to 15 minutes, at every address. It
 * forgets the failures after 15 minutes without an attempt. A longer delay than both together prevents a stranger who continues to try from
 * keeping the account locked.
 */
const LONGER_THAN_COGNITO_MS = 31 * 60_000;

/** An address can serve a whole office, so it has more free attempts. The rule limits passwords that are tried on many accounts. */
export const throttleRules = {
  account: { free: 5, maxDelayMs: LONGER_THAN_COGNITO_MS, forgottenMs: LONGER_THAN_COGNITO_MS },
  address: { free: 100, maxDelayMs: 60_000, forgottenMs: 15_000 },
  /** Entries in the audit log about failures of one account, or of all unknown accounts together. */
  auditEntries: { free: 20, maxDelayMs: 300_000, forgottenMs: 180_000 },
  /** Requests of devices from one address: 40 can be pending at once. */
  deviceAddress: { free: 20, maxDelayMs: 60_000, forgottenMs: 30_000 },
  /** Requests of devices from all addresses: about 1000 can be pending at once, which limits the chance of a guessed code. */
  devices: { free: 500, maxDelayMs: 10_000, forgottenMs: 1200 },
  /** Attempts of one user to enter codes of devices. */
  deviceCode: { free: 10, maxDelayMs: 15 * 60_000, forgottenMs: 15 * 60_000 },
} as const satisfies Record<string, ThrottleRule>;

const FIRST_DELAY_MS = 1000;

/** Returns the number of attempts that are not forgotten yet. */
function remainingAttempts({ count, lastAtMs }: SignInAttempts, { forgottenMs }: ThrottleRule, nowMs: number): number {
  return Math.max(0, count - Math.max(0, nowMs - lastAtMs) / forgottenMs);
}

/** Returns the milliseconds until the next attempt is allowed, or 0. */
export function computeWaitMs(attempts: SignInAttempts | undefined, { free, maxDelayMs }: ThrottleRule, nowMs: number): number {
  if (!attempts || attempts.count < free) return 0;
  const delayMs = Math.min(maxDelayMs, FIRST_DELAY_MS * 2 ** (attempts.count - free));
  return Math.max(0, attempts.lastAtMs + delayMs - nowMs);
}

/** Returns the attempts with one more. */
export function countAttempt(attempts: SignInAttempts | undefined, rule: ThrottleRule, nowMs: number): SignInAttempts {
  return { count: (attempts ? remainingAttempts(attempts, rule, nowMs) : 0) + 1, lastAtMs: nowMs };
}

/** Returns the attempts with one less, for an attempt that was counted before its password turned out to be right. */
export function uncountAttempt(attempts: SignInAttempts, rule: ThrottleRule, nowMs: number): SignInAttempts {
  return { count: Math.max(0, remainingAttempts(attempts, rule, nowMs) - 1), lastAtMs: nowMs };
}

/** Returns the time at which all attempts are forgotten (epoch ms). */
export const forgottenAtMs = ({ count, lastAtMs }: SignInAttempts, { forgottenMs }: ThrottleRule) => lastAtMs + count * forgottenMs;

/** The recent sign-in attempts of an account, an address, or an account at an address where it has signed in before. */
export const signInAttemptsObject = defineObject({
  name: "sign-in attempts",
  partition: "ATTEMPTS",
  within: (hash: string) => hash,
  sort: () => "attempts",
  belongsTo: "none",
  schema: signInAttemptsSchema,
});
