import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export const OAUTH_CLIENT = { id: "svc at acme", secret: "planted secret of the client" };

/** Another service on loopback with OAuth 2.0, PKCE and refresh tokens that work once. The first token of an account ends after 2 s. */
export async function startOauthService() {
  const granted = new Map<string, { challenge: string; redirectUri: string; scope: string }>();
  const refreshTokens = new Set<string>();
  const issued: string[] = [];

  const send = (response: ServerResponse, status: number, body: unknown) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

  function issue(response: ServerResponse, scope: string, expiresInS: number): void {
    const [access, refresh] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    refreshTokens.add(refresh);
    issued.push(access);
    // Some services send an ID token of another issuer. It counts for nothing here.
    const more = { token_type: "Bearer", expires_in: expiresInS, id_token: "e30.e30.", scope };
    send(response, 200, { access_token: access, refresh_token: refresh, ...more });
  }

  async function token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
    const credentials = Buffer.from((request.headers.authorization ?? "").replace("Basic ", ""), "base64").toString();
    const expected = [OAUTH_CLIENT.id, OAUTH_CLIENT.secret].map((part) => new URLSearchParams({ part }).toString().slice(5)).join(":");
    if (credentials !== expected) return void send(response, 401, { error: "invalid_client" });
    if (form.get("grant_type") === "refresh_token") {
      if (!refreshTokens.delete(form.get("refresh_token") ?? "")) return void send(response, 400, { error: "invalid_grant" });
      return issue(response, "read", 3600);
    }
    const grant = granted.get(form.get("code") ?? "");
    granted.delete(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (grant?.challenge !== challenge || grant.redirectUri !== form.get("redirect_uri"))
      return void send(response, 400, { error: "invalid_grant" });
    issue(response, grant.scope, 2);
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://127.0.0.1");
    if (pathname === "/token") return void token(request, response);
    if (pathname !== "/authorize") return void send(response, 404, {});
    const [code, redirectUri] = [randomUUID(), searchParams.get("redirect_uri") ?? ""];
    granted.set(code, { challenge: searchParams.get("code_challenge") ?? "", redirectUri, scope: searchParams.get("scope") ?? "" });
    const to = new URL(redirectUri);
    to.searchParams.set("code", code);
    to.searchParams.set("state", searchParams.get("state") ?? "");
    response.writeHead(302, { location: to.href }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The access tokens that it has issued, the newest last. */
    issued,
    /** Revokes all refresh tokens, like a user who withdraws access. */
    withdraw: () => refreshTokens.clear(),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
export type OauthService = Awaited<ReturnType<typeof startOauthService>>;
