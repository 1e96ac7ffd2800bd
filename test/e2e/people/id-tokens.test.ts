import { createRemoteJWKSet, jwtVerify } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { api } from "../../support/api/api.ts";
import { member } from "../../support/api/people.ts";
import { newWorkspace, type Workspace } from "../../support/api/workspace.ts";

const client = api();
let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
});

describe("ID tokens", () => {
  it("a consumer verifies the token of a job with the issuer's URL alone", async () => {
    await ws.saveScript({
      path: "u/admin/identify",
      language: "bash",
      content:
        'curl -sS -X POST -H "Authorization: Bearer $WM_TOKEN" "$BASE_INTERNAL_URL/api/w/$WM_WORKSPACE/oidc/token/https%3A%2F%2Fapi.acme.example"',
    });
    const token = String((await ws.runWait("u/admin/identify")).json);
    const metadata = (await (await fetch(`${client.url}/.well-known/openid-configuration`)).json()) as { issuer: string; jwks_uri: string };
    expect(metadata.issuer).toBe(client.url);
    const { payload } = await jwtVerify(token, createRemoteJWKSet(new URL(metadata.jwks_uri)), {
      issuer: metadata.issuer,
      audience: "https://api.acme.example",
    });
    expect(payload).toMatchObject({ path: "u/admin/identify", flow_path: "", workspace: ws.id });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(3600);
    // The service does not accept it as its own token.
    expect((await client.call("GET", "users/whoami", { token })).status).toBe(401);
  });

  it("are for members, for a bounded time, and have an entry in the audit log", async () => {
    const ann = await member(await newWorkspace(), "ann");
    expect((await ann.in(ws).post("oidc/token/a")).status).toBe(404);
    for (const expires_in of ["59", "86401", "1.5", "x"]) {
      expect((await ws.post("oidc/token/a", undefined, { expires_in })).status).toBe(400);
    }
    expect((await ws.post("oidc/token/a", undefined, { expires_in: 86_400 })).status).toBe(200);
    const { json } = await ws.get("audit/list", { operation: "oidc.token", resource: "a" });
    expect(json).toMatchObject([{ operation: "oidc.token", action_kind: "Updated", resource: "a" }]);
  });
});
