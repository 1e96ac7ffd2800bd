import type * as Oidc from "openid-client";
import * as z from "zod";
import { env } from "../../contract/env.ts";
import { SvcError } from "../../contract/errors.ts";
import { PromiseCache } from "../../contract/utilities/promise-cache.ts";
import { type Login, loginSchema } from "../../core/people/login.ts";
import type { Logins } from "../../ports/people.ts";
import { readSecretValue } from "../secretsmanager/secret-values.ts";

// Loaded on first use, because few requests are sign-ins.
const sdk = () => import("openid-client");
const SCOPE = "openid email profile";
const TIMEOUT_S = 8;

const all: readonly Login[] = z.array(loginSchema).parse(JSON.parse(process.env[env.logins] || "[]"));
const discovered = new PromiseCache<string, Oidc.Configuration>();

/** Finds a login by name. Throws `login.unknown`. */
function loginNamed(name: string): Login {
  const found = all.find((login) => login.name === name);
  if (!found) throw new SvcError("login.unknown", { client: name });
  return found;
}

async function discover({ issuer, clientId, clientSecretName }: Login): Promise<Oidc.Configuration> {
  const oidc = await sdk();
  const secret = clientSecretName && (await readSecretValue(clientSecretName));
  // Only a local deployment may have an issuer without TLS (lib/config.ts).
  const insecure = new URL(issuer).protocol === "http:" ? [oidc.allowInsecureRequests] : [];
  return oidc.discovery(new URL(issuer), clientId, undefined, secret ? oidc.ClientSecretBasic(secret) : oidc.None(), {
    // Without this check, the library does not verify the signature of an ID token that was received over TLS.
    execute: [oidc.enableNonRepudiationChecks, ...insecure],
    timeout: TIMEOUT_S,
  });
}

/** Returns the provider's metadata and keys, read once in a process. The library fetches an unknown key again. */
function configurationOf(login: Login): Promise<Oidc.Configuration> {
  return discovered.get(login.name, () => discover(login));
}

/** Sign-in with OpenID Connect: authorization code, PKCE, state and nonce. */
export const logins = {
  all,

  /** Starts a sign-in: returns its secrets and the URL for the browser. Throws `login.unknown` and `login.unreachable`. */
  async beginSignIn(name: string, redirectUri: string) {
    const login = loginNamed(name);
    const oidc = await sdk();
    const challenge = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier: oidc.randomPKCECodeVerifier() };
    const parameters = {
      redirect_uri: redirectUri,
      scope: SCOPE,
      state: challenge.state,
      nonce: challenge.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(challenge.verifier),
      code_challenge_method: "S256",
      ...(login.identityProvider ? { identity_provider: login.identityProvider } : {}),
    };
    try {
      return { ...challenge, location: oidc.buildAuthorizationUrl(await configurationOf(login), parameters).href };
    } catch (error) {
      throw new SvcError("login.unreachable", { client: name }, { cause: error });
    }
  },

  /**
   * Exchanges a code for an ID token and returns its verified claims. Throws `login.unknown`, `login.notConfirmed` and `login.unreachable`.
   */
  async redeemCode(
    name: string,
    redirectUri: string,
    answered: { code: string; state: string; iss?: string | undefined },
    { nonce, verifier, state }: { nonce: string; verifier: string; state: string },
  ): Promise<unknown> {
    const login = loginNamed(name);
    const { authorizationCodeGrant } = await sdk();
    const returned = new URL(redirectUri);
    for (const [key, value] of Object.entries(answered)) if (value !== undefined) returned.searchParams.set(key, value);
    try {
      const tokens = await authorizationCodeGrant(await configurationOf(login), returned, {
        expectedNonce: nonce,
        expectedState: state,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      return tokens.claims();
    } catch (error) {
      throw await refusal(name, error);
    }
  },
} satisfies Logins;

/** Reports only the kind of failure, because the provider's own text is not trusted. */
async function refusal(client: string, error: unknown): Promise<SvcError> {
  const { AuthorizationResponseError, ClientError, ResponseBodyError } = await sdk();
  const isResponse = error instanceof ResponseBodyError || error instanceof AuthorizationResponseError;
  const isCheck = error instanceof ClientError && error.code !== "OAUTH_TIMEOUT";
  if (!isResponse && !isCheck) return new SvcError("login.unreachable", { client }, { cause: error });
  const reason = isResponse ? error.error : (error.code ?? "");
  return new SvcError("login.notConfirmed", { client, reason: /^\w{1,60}$/.test(reason) ? reason : "invalid response" }, { cause: error });
}
