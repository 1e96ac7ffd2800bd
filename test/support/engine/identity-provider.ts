import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";

/** The user's input at the provider, and the provider's faults. */
export interface AtProvider {
  /** Overrides of the claims of a valid ID token. Null removes a claim. */
  claims?: Record<string, unknown>;
  /** Signs with a key that it does not publish. */
  foreignKey?: boolean;
  /** Sends the browser back with this error instead of a code. */
  error?: string;
}

interface Granted extends AtProvider {
  challenge: string;
  nonce: string;
  redirectUri: string;
}

export const CLIENT = { clientId: "svc-test", clientSecret: "planted-client-secret" };

/** An OpenID Connect provider on loopback with the usual checks. The query `as` of its URL selects the user and the fault. */
export async function startIdentityProvider(): Promise<{ issuer: string; close(): Promise<void> }> {
  const [own, foreign] = await Promise.all([generateKeyPair("RS256"), generateKeyPair("RS256")]);
  const jwk = { ...(await exportJWK(own.publicKey)), kid: "own", alg: "RS256", use: "sig" };
  const granted = new Map<string, Granted>();
  let issuer = "";

  const send = (response: ServerResponse, status: number, body: unknown) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

  function authorize(query: URLSearchParams, response: ServerResponse): void {
    const { error, ...as } = JSON.parse(query.get("as") ?? "{}") as AtProvider;
    const to = new URL(query.get("redirect_uri") ?? "");
    to.searchParams.set("state", query.get("state") ?? "");
    to.searchParams.set("iss", issuer);
    const [challenge, nonce] = [query.get("code_challenge") ?? "", query.get("nonce") ?? ""];
    const good = query.get("client_id") === CLIENT.clientId && query.get("code_challenge_method") === "S256" && challenge && nonce;
    if (error || !good) to.searchParams.set("error", error ?? "invalid_request");
    else {
      const code = randomUUID();
      granted.set(code, { ...as, challenge, nonce, redirectUri: query.get("redirect_uri") ?? "" });
      to.searchParams.set("code", code);
    }
    response.writeHead(302, { location: to.href }).end();
  }

  async function token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
    const credentials = Buffer.from((request.headers.authorization ?? "").replace("Basic ", ""), "base64").toString();
    // Each is form-encoded first (RFC 6749 §2.3.1).
    if (decodeURIComponent(credentials) !== `${CLIENT.clientId}:${CLIENT.clientSecret}`)
      return void send(response, 401, { error: "invalid_client" });
    const code = form.get("code") ?? "";
    const grant = granted.get(code);
    granted.delete(code);
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (grant?.challenge !== challenge || grant.redirectUri !== form.get("redirect_uri")) {
      return void send(response, 400, { error: "invalid_grant" });
    }
    const nowS = Math.floor(Date.now() / 1000);
    const all = {
      ...{ iss: issuer, aud: CLIENT.clientId, sub: randomUUID(), iat: nowS, exp: nowS + 300, nonce: grant.nonce, email_verified: true },
      ...grant.claims,
    };
    const claims = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
    const key = grant.foreignKey ? foreign.privateKey : own.privateKey;
    const idToken = await new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "own" }).sign(key);
    send(response, 200, { access_token: randomUUID(), token_type: "Bearer", expires_in: 300, id_token: idToken });
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", issuer);
    if (pathname === "/.well-known/openid-configuration") {
      return void send(response, 200, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        response_types_supported: ["code"],
        id_token_signing_alg_values_supported: ["RS256"],
        authorization_response_iss_parameter_supported: true,
      });
    }
    if (pathname === "/keys") return void send(response, 200, { keys: [jwk] });
    if (pathname === "/authorize") return authorize(searchParams, response);
    if (pathname === "/token") return void token(request, response);
    send(response, 404, {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
