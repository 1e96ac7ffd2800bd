import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { api } from "../../support/api/api.ts";
import { member } from "../../support/api/people.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { readings } from "../../support/docs/pages.ts";
import { readAloud } from "../../support/docs/reader.ts";
import { invoke } from "../../support/engine/aws.ts";
import { allLogs } from "../../support/engine/logs.ts";
import { OAUTH_CLIENT, type OauthService, startOauthService } from "../../support/engine/oauth-service.ts";
import { until } from "../../support/until.ts";

const client = api();
let ws: Workspace;
let acme: OauthService;
beforeAll(async () => {
  [ws, acme] = await Promise.all([newWorkspace(), startOauthService()]);
  const connect_config = { auth_url: `${acme.url}/authorize`, token_url: `${acme.url}/token`, scopes: ["read"] };
  expectStatus(await client.post("settings/global/oauths", { value: { acme: { ...OAUTH_CLIENT, connect_config } } }), 200);
});
afterAll(() => acme?.close());

const headersOf = (token: string) => ({ authorization: `Bearer ${token}` });
/** Begins a connection in a browser, and returns its cookie with the URL to which the other service sends it back. */
async function goThere(token = client.token) {
  const begun = await fetch(`${client.url}/api/oauth/connect/acme?scopes=read+write`, { redirect: "manual", headers: headersOf(token) });
  const [cookie = ""] = (begun.headers.getSetCookie()[0] ?? "").split(";");
  const there = await fetch(begun.headers.get("location") ?? "", { redirect: "manual" });
  return { cookie, back: new URL(there.headers.get("location") ?? "") };
}

describe("an account at another service", () => {
  it("is connected in a browser, its token reaches a script, and is refreshed before it ends", async () => {
    expect((await client.get("oauth/list_connects")).json).toEqual(["acme"]);
    expect((await client.get("oauth/get_connect/acme")).json).toEqual({ scopes: ["read"] });
    const { cookie, back } = await goThere();
    expect(back.href).toContain(`${client.url}/api/oauth/connect_callback/acme?`);
    const returned = await fetch(back, { headers: { cookie } });
    const connected = (await returned.json()) as { refresh_token: string };
    expect([returned.status, connected]).toEqual([
      200,
      { client: "acme", refresh_token: expect.any(String), expires_in: 2, scope: ["read", "write"] },
    ]);
    const at = "f/t/acme_token";
    const account = Number(expectStatus(await ws.post("oauth/create_account", { ...connected, path: at }), 200).text);
    const variable = async () => (await ws.get(`variables/get/${at}`)).json as { value: string };
    expect(await variable()).toMatchObject({ value: acme.issued.at(-1), account, is_oauth: true, is_refreshed: true });

    // A token lives for two seconds, so each pass of housekeeping may refresh it again.
    const refreshes = async () => acme.issued.indexOf((await variable()).value);
    const tick = async () => {
      await invoke("HousekeepingFunction", {});
      return (await refreshes()) > 0;
    };
    await until(tick, { what: "the refreshed token" });
    const before = await refreshes();
    expectStatus(await ws.post(`oauth/refresh_token/${account}`), 200);
    expect(await refreshes()).toBeGreaterThan(before);

    acme.withdraw();
    const refused = await ws.post(`oauth/refresh_token/${account}`);
    expect([refused.status, refused.text]).toEqual([
      409,
      `The token of account ${account} was not refreshed: acme refused it (invalid_grant).`,
    ]);
    expectStatus(await ws.post(`oauth/disconnect/${account}`), 200);
    expect((await ws.post(`oauth/disconnect/${account}`)).status).toBe(404);
    expect(JSON.stringify([(await client.get("settings/global/oauths")).json, [...(await allLogs()).values()]])).not.toMatch(
      /planted secret of|refresh-|access-[0-9a-f]/,
    );
  });

  it("belongs to the user and the browser that began the connection", async () => {
    const eve = await member(ws, "eve");
    const { cookie, back } = await goThere();
    const body = Object.fromEntries(back.searchParams);
    const post = (token: string, headers: Record<string, string>) =>
      client.call("POST", "oauth/connect_callback/acme", { token, headers, body });
    expect((await fetch(back)).status).toBe(400);
    expect((await fetch(back, { headers: { cookie: (await goThere(eve.api.token)).cookie } })).status).toBe(400);
    expect((await post(eve.api.token, { cookie })).status).toBe(400);
    const answer = expectStatus(await post(client.token, { cookie }), 200);
    expect(answer.json).toMatchObject({ access_token: acme.issued.at(-1) });
    expect((await post(client.token, { cookie })).status).toBe(400);
    const { refresh_token } = answer.json as { refresh_token: string };
    const taken = await eve.in(ws).post("oauth/create_account", { client: "acme", refresh_token, path: "f/t/eve" });
    expect([taken.status, taken.headers.get("x-svc-error")]).not.toEqual([200, null]);
    expect((await fetch(`${client.url}/api/oauth/connect/acme`, { redirect: "manual" })).status).toBe(401);
  });

  it("has a client that is registered as docs/connections.md describes", async () => {
    const [output = ""] = await readAloud(readings.accounts, { workspace: ws.id });
    expect(output).toContain('["acme"]\n{"scopes":["read"]}\n');
  });
});
