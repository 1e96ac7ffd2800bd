import { createHash } from "node:crypto";
import * as z from "zod";
import { limits } from "../../contract/limits.ts";
import { defineObject, inQueue, inWorkspace, sortableMs } from "../objects/define-object.ts";

/** An account of a user at another service. It refreshes the token in its variable. */
export const accountSchema = z.object({
  id: z.number(),
  client: z.string(),
  /** The e-mail address of the user who connected it, who alone may give it to a variable. */
  owner: z.string(),
  /** The variable with the token. Absent until one is created for the account. */
  path: z.string().optional(),
  /** Sealed. Absent if the service issued none: the access token then expires without a refresh, or never expires. */
  refreshToken: z.string().optional(),
  /** The expiry of the token (epoch ms). */
  expiresAtMs: z.number().optional(),
  /** The time of the next refresh (epoch ms). Present for an account with a variable and a refresh token. */
  dueMs: z.number().optional(),
  /** Refreshes that failed in a row. */
  failures: z.number(),
  /** Another refresh waits until this time (epoch ms), so that a refresh token is used once. */
  claimedUntilMs: z.number().optional(),
  createdAtMs: z.number(),
});
export type Account = z.infer<typeof accountSchema>;

/** The event with which housekeeping makes function `objects` refresh accounts. */
export const refreshCallSchema = z.object({ refresh: z.array(z.object({ workspace: z.string(), account: z.number() })).max(100) });
export type RefreshCall = z.infer<typeof refreshCallSchema>;

/** The entry of an account in the queue of refreshes. */
const dueRefreshSchema = z.object({ of: z.string(), account: z.number() });

/** Tokens that another service issued. */
export interface IssuedTokens {
  accessToken: string;
  refreshToken: string | undefined;
  expiresInS: number | undefined;
  scopes: string[] | undefined;
}

/** The sealed state of a connection, which the browser stores while it is at the other service. */
export const pendingConnectSchema = z.object({
  client: z.string(),
  state: z.string(),
  verifier: z.string(),
  untilMs: z.number(),
  owner: z.string(),
});

/** A completed connection, sealed: it replaces the refresh token, which thus never leaves the service. */
export const completedConnectSchema = z.object({
  client: z.string(),
  owner: z.string(),
  untilMs: z.number(),
  accessToken: z.string(),
  refreshToken: z.string().optional(),
  expiresAtMs: z.number().optional(),
});
export type CompletedConnect = z.infer<typeof completedConnectSchema>;

/** Derives the id of the account of a completed connection, so that a repeated call creates no second one. Fits a JSON number. */
export const deriveAccountId = (sealed: string): number => createHash("sha256").update(sealed).digest().readUIntBE(0, 6);

/** Returns the expiry of a token (epoch ms), or `undefined` if it does not expire. */
export function computeTokenEnd({ expiresInS, refreshToken }: Pick<IssuedTokens, "expiresInS" | "refreshToken">, nowMs: number) {
  if (expiresInS !== undefined) return nowMs + expiresInS * 1000;
  return refreshToken === undefined ? undefined : nowMs + limits.assumedTokenMs;
}

/** Returns the time at which a token is refreshed (epoch ms), before its expiry. */
export function computeDueMs(expiresAtMs: number, nowMs: number): number {
  const lasts = Math.max(expiresAtMs - nowMs, 0);
  return expiresAtMs - Math.min(limits.refreshBeforeMs, lasts / 3);
}

const MINUTE_MS = 60_000;
/** Returns the time of the retry of a failed refresh (epoch ms): after one minute, two, four and so on, at most six hours. */
export const computeRetryMs = (failures: number, nowMs: number): number =>
  nowMs + Math.min(MINUTE_MS * 2 ** (failures - 1), 360 * MINUTE_MS);

/** Builds the mail to the owner of an account whose refreshes fail. */
export function buildRefreshMail({ client, path = "", failures }: Account, reason: string) {
  return {
    subject: `The token of ${client} at ${path} cannot be refreshed`,
    lines: [
      `The token of your account at ${client}, which the variable ${path} contains, could not be refreshed ${failures} times in a row: ${reason}.`,
      "Scripts that use it fail when it has ended. Connect the account again, unless the other service recovers by itself: the service continues to try.",
    ],
  };
}

/** An account of a user at another service, by its id. */
export const accountObject = defineObject({
  name: "account",
  partition: "ACCOUNT",
  ...inWorkspace,
  sort: (id: number) => String(id),
  schema: accountSchema,
});

/** An account whose token must be refreshed, sorted by the time of the next attempt. */
export const dueRefreshObject = defineObject({
  name: "due refresh",
  partition: "REFRESHES",
  sort: (atMs: number, workspace: string, id: number) => `${sortableMs(atMs)}#${workspace}#${id}`,
  ...inQueue(1),
  schema: dueRefreshSchema,
});

/** The wrapped key that seals the secrets of connect clients and the refresh tokens of accounts. */
export const accountKeyObject = defineObject({
  name: "key of accounts",
  partition: "ACCOUNTKEY",
  sort: () => "key",
  belongsTo: "none",
  schema: z.object({ wrapped: z.string() }),
});
