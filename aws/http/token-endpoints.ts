import type * as Oidc from "openid-client";
import { SvcError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { IssuedTokens } from "../../core/accounts/account.ts";
import type { ConnectClient } from "../../core/accounts/client.ts";
import type { TokenEndpoints } from "../../ports/identity-providers.ts";
import { fetchGuarded } from "./guarded-fetch.ts";

// Loaded on first use, because few requests connect or refresh an account.
const sdk = () => import("openid-client");
const MAX_BYTES = 256 * 1024;

async function configure({ id, secret, authUrl, tokenUrl, inBody }: ConnectClient): Promise<Oidc.Configuration> {
  const oidc = await sdk();
  const auth = secret === undefined ? oidc.None() : inBody ? oidc.ClientSecretPost(secret) : oidc.ClientSecretBasic(secret);
  const server = { issuer: new URL(authUrl).origin, authorization_endpoint: authUrl, token_endpoint: tokenUrl };
  const configuration = new oidc.Configuration(server, id, undefined, auth);
  configuration[oidc.customFetch] = fetchTokens;
  // Only loopback may have no TLS (core/accounts/client.ts).
  if (new URL(tokenUrl).protocol === "http:") oidc.allowInsecureRequests(configuration);
  return configuration;
}

/** An ID token in the response is removed: nothing here relies on who the user is at the other service. */
async function fetchTokens(url: string, { method, headers, body }: Oidc.CustomFetchOptions): Promise<Response> {
  const response = await fetchGuarded(url, {
    method,
    headers,
    body: String(body ?? ""),
    timeoutMs: limits.tokenRequestMs,
    maxBytes: MAX_BYTES,
  });
  if (!response.ok) return response;
  const { id_token: _, ...rest } = (await response.json()) as Record<string, unknown>;
  return new Response(JSON.stringify(rest), { status: response.status, headers: { "content-type": "application/json" } });
}

function toIssuedTokens({ access_token, refresh_token, expires_in, scope }: Oidc.TokenEndpointResponse): IssuedTokens {
  if (Buffer.byteLength(access_token) > limits.accountTokenBytes || Buffer.byteLength(refresh_token ?? "") > limits.accountTokenBytes)
    throw new Error("The tokens are too large.");
  return {
    accessToken: access_token,
    refreshToken: refresh_token,
    expiresInS: expires_in === undefined || expires_in <= 0 ? undefined : Math.min(expires_in, MAX_VALIDITY_S),
    scopes: scope?.split(/[ ,]+/),
  };
}
const MAX_VALIDITY_S = 10 * 365 * 24 * 3600;

/** The requests to other services by which users connect accounts (OAuth 2.0 with PKCE). */
export const tokenEndpoints = {
  /** Returns the URL for the browser, with its secrets. */
  async beginConnect(client: ConnectClient, redirectUri: string, scopes: readonly string[]) {
    const oidc = await sdk();
    const challenge = { state: oidc.randomState(), verifier: oidc.randomPKCECodeVerifier() };
    const location = oidc.buildAuthorizationUrl(await configure(client), {
      ...client.extraParams,
      redirect_uri: redirectUri,
      state: challenge.state,
      ...(scopes.length > 0 ? { scope: scopes.join(" ") } : {}),
      code_challenge: await oidc.calculatePKCECodeChallenge(challenge.verifier),
      code_challenge_method: "S256",
    });
    return { ...challenge, location: location.href };
  },

  /** Exchanges a code for tokens. Throws `connect.notConfirmed`, `connect.unreachable`. */
  async redeemCode(
    client: ConnectClient,
    redirectUri: string,
    { code, state, verifier }: { code: string; state: string; verifier: string },
  ): Promise<IssuedTokens> {
    const returned = new URL(redirectUri);
    returned.searchParams.set("code", code);
    returned.searchParams.set("state", state);
    const { authorizationCodeGrant } = await sdk();
    return request(client, async (configuration) =>
      authorizationCodeGrant(configuration, returned, { expectedState: state, pkceCodeVerifier: verifier }),
    );
  },

  /** Exchanges a refresh token for new tokens. Throws `connect.notConfirmed`, `connect.unreachable`. */
  async refreshTokens(client: ConnectClient, refreshToken: string): Promise<IssuedTokens> {
    const { refreshTokenGrant } = await sdk();
    return request(client, async (configuration) => refreshTokenGrant(configuration, refreshToken));
  },
} satisfies TokenEndpoints;

/** Reports only the kind of failure, because the other service's own text is not trusted and may contain a token. */
async function request(
  client: ConnectClient,
  send: (configuration: Oidc.Configuration) => Promise<Oidc.TokenEndpointResponse>,
): Promise<IssuedTokens> {
  const { ResponseBodyError } = await sdk();
  try {
    return toIssuedTokens(await send(await configure(client)));
  } catch (error) {
    if (!(error instanceof ResponseBodyError)) throw new SvcError("connect.unreachable", { client: client.name }, { cause: error });
    const reason = /^\w{1,60}$/.test(error.error) ? error.error : "invalid response";
    throw new SvcError("connect.notConfirmed", { client: client.name, reason }, { cause: error });
  }
}
