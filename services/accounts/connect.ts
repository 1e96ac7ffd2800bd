import { timingSafeEqual } from "node:crypto";
import { defined } from "../../contract/defined.ts";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import { type CompletedConnect, completedConnectSchema, computeTokenEnd, pendingConnectSchema } from "../../core/accounts/account.ts";
import { hashUsedLogin, usedLoginObject } from "../../core/people/login.ts";
import type { Uses } from "../uses.ts";
import { openJsonForAccounts, sealJsonForAccounts, sealLocations } from "./account-key.ts";
import { loadConnectClient } from "./clients.ts";

const redirectUri = (baseUrl: string, client: string) => `${baseUrl}/api/oauth/connect_callback/${client}`;

/**
 * Returns the URL of the other service for the browser, and the sealed state that the browser stores until it returns. Nothing is stored. Throws
 * `connect.unknown`.
 */
export async function beginConnect(
  deps: Uses<"objects" | "accountKeys" | "tokenEndpoints" | "nowMs" | "baseUrl">,
  owner: string,
  { client, scopes }: { client: string; scopes: readonly string[] | undefined },
): Promise<{ location: string; pending: string }> {
  const found = await loadConnectClient(deps, client);
  const { location, ...loginState } = await deps.tokenEndpoints.beginConnect(
    found,
    redirectUri(deps.baseUrl, client),
    scopes ?? found.scopes,
  );
  const pending = { client, ...loginState, owner, untilMs: deps.nowMs() + limits.loginMs };
  return { location, pending: await sealJsonForAccounts(deps, sealLocations.pending, pending) };
}

export interface ConnectCallback {
  code?: string | undefined;
  state?: string | undefined;
  error?: string | undefined;
}

/** The tokens of a completed connection. `refreshToken` is sealed, and only its owner can create an account with it. */
export interface ConnectedTokens {
  accessToken: string;
  refreshToken: string;
  expiresInS: number | undefined;
  scopes: string[] | undefined;
}

/**
 * Exchanges the code of the other service for tokens. It is accepted only from the browser that began the connection, in time, and once: its
 * state is recorded as used before the code is redeemed. `caller`: the user who sends it, if the request has a token. Throws `connect.*`.
 */
export async function completeConnect(
  deps: Uses<"objects" | "accountKeys" | "tokenEndpoints" | "nowMs" | "baseUrl">,
  client: string,
  { code, state = "", error }: ConnectCallback,
  { cookie, caller }: { cookie: string | undefined; caller?: string | undefined },
): Promise<ConnectedTokens> {
  const { objects, nowMs, baseUrl } = deps;
  const notBegun = () => new SvcError("connect.notBegun", { client });
  const pending =
    cookie === undefined
      ? undefined
      : await openJsonForAccounts(deps, sealLocations.pending, { sealed: cookie, schema: pendingConnectSchema });
  if (!pending || pending.client !== client || pending.untilMs <= nowMs() || !isSame(pending.state, state)) throw notBegun();
  if (caller !== undefined && caller !== pending.owner) throw notBegun();
  const spent = { ...usedLoginObject.key(hashUsedLogin(state)), expiresAtS: Math.ceil(pending.untilMs / 1000) };
  if (!(await objects.put(spent, "absent"))) throw notBegun();
  if (!code) {
    const reason = error && /^\w{1,60}$/.test(error) ? error : "it sent no code";
    throw new SvcError("connect.notConfirmed", { client, reason });
  }
  const found = await loadConnectClient(deps, client);
  const { verifier, owner } = pending;
  const tokens = await deps.tokenEndpoints.redeemCode(found, redirectUri(baseUrl, client), { code, state, verifier });
  const expiresAtMs = computeTokenEnd(tokens, nowMs());
  const completed: CompletedConnect = {
    client,
    owner,
    untilMs: nowMs() + limits.loginMs,
    accessToken: tokens.accessToken,
    ...defined({ refreshToken: tokens.refreshToken, expiresAtMs }),
  };
  return {
    accessToken: tokens.accessToken,
    refreshToken: await sealJsonForAccounts(deps, sealLocations.completed, completed),
    expiresInS: tokens.expiresInS,
    scopes: tokens.scopes,
  };
}

/** Opens the tokens of a connection that this user completed a short time ago. Throws `account.token`. */
export async function openConnected(
  deps: Uses<"objects" | "accountKeys" | "nowMs">,
  owner: string,
  sealed: string,
): Promise<CompletedConnect> {
  const completed = await openJsonForAccounts(deps, sealLocations.completed, { sealed, schema: completedConnectSchema });
  if (!completed || completed.owner !== owner || completed.untilMs <= deps.nowMs()) throw new SvcError("account.token", {});
  return completed;
}

const isSame = (expected: string, actual: string) =>
  timingSafeEqual(Buffer.from(hashUsedLogin(expected)), Buffer.from(hashUsedLogin(actual)));
