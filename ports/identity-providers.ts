import type { JSONWebKeySet } from "jose";
import type { IssuedTokens } from "../core/accounts/account.ts";
import type { ConnectClient } from "../core/accounts/client.ts";

/** The requests to other services by which users connect accounts (OAuth 2.0 with PKCE). */
export interface TokenEndpoints {
  /** Returns the URL for the browser, with its secrets. */
  beginConnect(
    client: ConnectClient,
    redirectUri: string,
    scopes: readonly string[],
  ): Promise<{ state: string; verifier: string; location: string }>;
  /** Exchanges a code, once, for tokens. Throws `connect.notConfirmed` and `connect.unreachable`. */
  redeemCode(client: ConnectClient, redirectUri: string, answer: { code: string; state: string; verifier: string }): Promise<IssuedTokens>;
  /**
   * Exchanges a refresh token for new tokens. Services may accept each refresh token only once, so a repeated call can fail.
   * Throws `connect.notConfirmed` and `connect.unreachable`.
   */
  refreshTokens(client: ConnectClient, refreshToken: string): Promise<IssuedTokens>;
}

/** The public keys of the issuers of tokens. */
export interface KeySets {
  /** Reads a JSON Web Key Set (RFC 7517). Addresses inside the network are blocked. Throws any error if there is no such set. */
  fetchKeySet(url: string): Promise<JSONWebKeySet>;
}
