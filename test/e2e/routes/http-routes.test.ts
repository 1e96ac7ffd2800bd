import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { sign as signAsGithub } from "@octokit/webhooks-methods";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { Webhook } from "standardwebhooks";
import Stripe from "stripe";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { shared } from "../../support/api/api.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";

let ws: Workspace;
beforeAll(async () => {
  ws = await newWorkspace();
  const content = "export const main = (id?: string, amount?: number, jwt?: unknown) => ({ id, amount, jwt });";
  await ws.saveScript({ path: "f/t/order", language: "bun", content });
});

/** Creates a route and returns its path and its address, which begins with its own text. */
async function addHttpRoute(own: object = {}) {
  const name = `r${randomUUID().slice(0, 8)}`;
  const route = { script_path: "f/t/order", is_flow: false, http_method: "post", workspaced_route: true, route_path: `${name}/:id` };
  expectStatus(await ws.post("http_triggers/create", { path: `f/t/${name}`, ...route, ...own }), 201);
  return { path: `f/t/${name}`, address: `r/${ws.id}/${name}/7` };
}
const send = (address: string, { method = "POST", body = "{}", headers = {}, token = "" }: Record<string, unknown> = {}) =>
  ws.api.call(method as string, address, {
    token: token as string,
    headers: { "content-type": "application/json", ...(headers as Record<string, string>) },
    ...(method === "GET" || method === "HEAD" || method === "OPTIONS" ? {} : { body }),
  });
const jobsOf = async (path: string) => (await ws.get("jobs/list", { trigger_kind: "http", trigger_path: path })).json as { id: string }[];
const failuresOf = async (path: string) =>
  ((await ws.get(`http_triggers/get/${path}`)).json as { last_failures?: { reason: string }[] }).last_failures?.map(({ reason }) => reason);

async function addCredential(type: string, value: object) {
  const path = `f/t/c${randomUUID().slice(0, 8)}`;
  expectStatus(await ws.post("resources/create", { path, resource_type: type, value }), 201);
  return path;
}

describe("a route", () => {
  it("answers with the result of its script, as the job of a trigger", async () => {
    const { path, address } = await addHttpRoute();
    const answer = expectStatus(await send(address, { body: '{"amount":3}' }), 200);
    expect(answer.json).toEqual({ id: "7", amount: 3 });
    const [job] = await jobsOf(path);
    expect(job).toMatchObject({ id: answer.headers.get("x-svc-job-id"), trigger_kind: "http", trigger_path: path });
    expect((await send(address, { method: "DELETE" })).headers.get("allow")).toBe("POST, OPTIONS");
    expect((await send(address, { method: "DELETE" })).status).toBe(405);
    expect((await send(`${address}/more`)).status).toBe(404);
  });

  it("answers at once if it is asynchronous, and with a stream if it streams", async () => {
    const asynchronous = await addHttpRoute({ request_type: "async" });
    const { text: id } = expectStatus(await send(asynchronous.address, { body: '{"amount":1}' }), 201);
    expect((await ws.completed(id))["result"]).toEqual({ id: "7", amount: 1 });
    const streaming = await addHttpRoute({ request_type: "sync_sse" });
    const stream = expectStatus(await send(streaming.address, { body: '{"amount":2}' }), 200);
    expect(stream.headers.get("content-type")).toContain("text/event-stream");
    expect(stream.text).toContain('"amount":2');
  });

  it("answers GET and HEAD alike, and pages of the origins that it allows", async () => {
    const { address } = await addHttpRoute({ http_method: "get", allowed_origins: ["https://shop.example"] });
    const payload = Buffer.from('{"amount":4}').toString("base64");
    expect((await ws.api.call("GET", address, { token: "", query: { payload } })).json).toEqual({ id: "7", amount: 4 });
    const head = expectStatus(await send(address, { method: "HEAD" }), 200);
    expect(head.text).toBe("");
    const origin = { origin: "https://shop.example", "access-control-request-method": "GET" };
    const preflight = expectStatus(await send(address, { method: "OPTIONS", headers: origin }), 204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe("https://shop.example");
    const other = await send(address, { method: "OPTIONS", headers: { ...origin, origin: "https://other.example" } });
    expect(other.headers.get("access-control-allow-origin")).toBeNull();
  });

  it("starts one job for repeated deliveries, and decodes a compressed body", async () => {
    const { path, address } = await addHttpRoute({ idempotency: { from: "github", ttl: 3600 }, failed_status: 500 });
    const sent = () =>
      fetch(`${ws.api.url}/api/${address}`, {
        method: "POST",
        headers: { "content-type": "application/json", "content-encoding": "gzip", "x-github-delivery": "d-1" },
        body: gzipSync('{"amount":8}'),
      });
    const answers = [await sent(), await sent()];
    expect(await Promise.all(answers.map((answer) => answer.json()))).toEqual([
      { id: "7", amount: 8 },
      { id: "7", amount: 8 },
    ]);
    expect(answers[1]?.headers.get("x-svc-idempotent-replay")).toBe("true");
    expect(await jobsOf(path)).toHaveLength(1);
    const shown = (await ws.get(`http_triggers/get/${path}`)).json;
    expect(shown).toMatchObject({ idempotency: { from: "github", ttl: 3600 }, failed_status: 500 });
  });

  it("starts one job for requests with one Idempotency-Key", async () => {
    const { path, address } = await addHttpRoute();
    const sent = { headers: { "idempotency-key": randomUUID() }, body: '{"amount":5}' };
    const answers = [await send(address, sent), await send(address, sent)];
    expect(new Set(answers.map(({ headers }) => headers.get("x-svc-job-id"))).size).toBe(1);
    expect(await jobsOf(path)).toHaveLength(1);
  });

  it("lets its jobs wait while it is suspended, and is unknown while it is disabled", async () => {
    const { path, address } = await addHttpRoute();
    expectStatus(await ws.post(`http_triggers/setmode/${path}`, { mode: "suspended" }), 200);
    const { text: id } = expectStatus(await send(address, { body: '{"amount":6}' }), 202);
    expect((await ws.get(`jobs_u/get/${id}`)).json).toMatchObject({ type: "QueuedJob", trigger_path: path });
    expectStatus(await ws.post(`http_triggers/setmode/${path}`, { mode: "disabled" }), 200);
    expect((await send(address)).status).toBe(404);
  });

  it("passes an event to a preprocessor, which may refuse the caller", async () => {
    const content = `export function preprocessor(event: any) {
  if (event.headers["x-pass"] !== "yes") throw new Error("No pass.");
  return { seen: [event.kind, event.method, event.route, event.params.id, event.raw_string, "authorization" in event.headers] };
}
export const main = (seen: unknown[]) => seen;`;
    await ws.saveScript({ path: "f/t/checked", language: "bun", content });
    const { address } = await addHttpRoute({ script_path: "f/t/checked", authentication_method: "custom_script" });
    const sent = { body: "raw text", headers: { "content-type": "text/plain", authorization: "Basic abc" } };
    const admitted = expectStatus(await send(address, { ...sent, headers: { ...sent.headers, "x-pass": "yes" } }), 200);
    expect(admitted.json).toEqual(["http", "POST", expect.stringContaining("/:id"), "7", "raw text", false]);
    expect((await send(address, sent)).status).toBe(401);
  });

  it("runs a flow", async () => {
    const value = {
      modules: [
        {
          id: "a",
          value: { type: "script", path: "f/t/order", input_transforms: { amount: { type: "javascript", expr: "flow_input.amount * 2" } } },
        },
      ],
    };
    expectStatus(await ws.post("flows/create", { path: "f/t/double", summary: "", value }), 201);
    const { address } = await addHttpRoute({ script_path: "f/t/double", is_flow: true });
    expect(expectStatus(await send(address, { body: '{"amount":4}' }), 200).json).toEqual({ amount: 8 });
  });
});

describe("a route with an authentication", () => {
  const secret = `whsec_${Buffer.from(randomUUID()).toString("base64")}`;
  const body = '{"amount":9}';
  const senders: Record<string, () => Promise<Record<string, string>>> = {
    stripe: async () => ({ "stripe-signature": Stripe.webhooks.generateTestHeaderString({ payload: body, secret }) }),
    github: async () => ({ "x-hub-signature-256": await signAsGithub(secret, body) }),
    standard_webhooks: async () => ({
      "webhook-id": "msg_1",
      "webhook-timestamp": String(Math.floor(Date.now() / 1000)),
      "webhook-signature": new Webhook(secret).sign("msg_1", new Date(Math.floor(Date.now() / 1000) * 1000), body),
    }),
  };

  it.each(Object.keys(senders))(
    "by the signature of %s starts one job for a request that arrives twice, and none for a forged one",
    async (preset) => {
      const authentication_resource_path = await addCredential("signature_auth", { preset, secret });
      const { path, address } = await addHttpRoute({ authentication_method: "signature", authentication_resource_path });
      const headers = (await senders[preset]?.()) ?? {};
      const first = expectStatus(await send(address, { body, headers }), 200);
      expect(first.json).toEqual({ id: "7", amount: 9 });
      const again = expectStatus(await send(address, { body, headers }), 200);
      expect(again.headers.get("x-svc-job-id")).toBe(first.headers.get("x-svc-job-id"));
      const forged = await send(address, { body: '{"amount":90}', headers });
      expect([forged.status, forged.text]).toEqual([401, "The credentials of this request are missing or invalid."]);
      expect(await jobsOf(path)).toHaveLength(1);
      expect(await failuresOf(path)).toEqual(["wrongSignature"]);
    },
  );

  it("by a key, or a user name and a password, follows changes of the resource", async () => {
    const keyed = await addCredential("api_key_auth", { key: "k1", header: "X-Shop-Key" });
    const byKey = await addHttpRoute({ authentication_method: "api_key", authentication_resource_path: keyed });
    const withKey = (key: string) => send(byKey.address, { headers: { "x-shop-key": key } });
    expect([(await withKey("k1")).status, (await withKey("k2")).status, (await send(byKey.address)).status]).toEqual([200, 401, 401]);
    expectStatus(await ws.post(`resources/update/${keyed}`, { value: { key: "k2", old_key: "k1", header: "X-Shop-Key" } }), 200);
    expect([(await withKey("k1")).status, (await withKey("k2")).status]).toEqual([200, 200]);
    const named = await addCredential("basic_http_auth", { username: "shop", password: "pass" });
    const byName = await addHttpRoute({ authentication_method: "basic_http", authentication_resource_path: named });
    const withPassword = (text: string) =>
      send(byName.address, { headers: { authorization: `Basic ${Buffer.from(text).toString("base64")}` } });
    expect((await withPassword("shop:pass")).status).toBe(200);
    const refused = await withPassword("shop:word");
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, 'Basic realm="svc", charset="UTF-8"']);
  });

  it("by our tokens accepts tokens that may read the route, and no cookie", async () => {
    const { path, address } = await addHttpRoute({ authentication_method: "svc" });
    const tokenWith = async (scopes: string[]) => expectStatus(await ws.api.post("users/tokens/create", { label: "t", scopes }), 201).text;
    const fitting = await tokenWith([`http_triggers:read:${path}`]);
    const other = await tokenWith(["http_triggers:read:f/t/other"]);
    expect((await send(address, { token: fitting })).status).toBe(200);
    expect((await ws.api.call("POST", address, { token: "", query: { token: fitting }, body: {} })).status).toBe(200);
    for (const sent of [{ token: other }, { token: "none" }, {}, { headers: { cookie: `token=${fitting}` } }]) {
      expect((await send(address, sent)).status).toBe(401);
    }
    expect(await failuresOf(path)).toEqual(expect.arrayContaining(["noAccess", "wrongToken", "noCredential"]));
  });
});

describe("a route for the tokens of an identity provider", () => {
  const keys = generateKeyPair("RS256");
  let isDown = false;
  const provider = createServer(async (_, response) => {
    if (isDown) response.writeHead(500).end();
    else response.end(JSON.stringify({ keys: [{ ...(await exportJWK((await keys).publicKey)), kid: "k1", alg: "RS256" }] }));
  });
  beforeAll(() => new Promise<void>((resolve) => void provider.listen(0, "127.0.0.1", resolve)));
  afterAll(() => new Promise((resolve) => void provider.close(resolve)));
  const at = () => `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  const sign = async (claims: object = {}) =>
    new SignJWT({ role: "clerk", ...claims })
      .setProtectedHeader({ alg: "RS256", kid: "k1" })
      .setIssuer(at())
      .setAudience("shop")
      .setSubject("ann")
      .setExpirationTime("5m")
      .sign((await keys).privateKey);

  it("accepts tokens with the required claims, which become an argument, and refuses others", async () => {
    const value = { issuer: at(), audience: "shop", jwks_url: `${at()}/keys`, claims: { role: "clerk" } };
    const { path, address } = await addHttpRoute({
      authentication_method: "jwt",
      authentication_resource_path: await addCredential("jwt_auth", value),
    });
    const answer = expectStatus(await send(address, { token: await sign() }), 200);
    expect(answer.json).toMatchObject({ jwt: { iss: at(), aud: "shop", sub: "ann", role: "clerk" } });
    expect((await send(address, { token: await sign({ role: "chef" }) })).status).toBe(401);
    expect((await send(address, { token: shared().token })).status).toBe(401);
    expect(await failuresOf(path)).toEqual(["wrongToken", "wrongClaim"]);
  });

  it("asks the caller to retry while the provider does not respond", async () => {
    isDown = true;
    const value = { issuer: at(), jwks_url: `${at()}/others` };
    const { address } = await addHttpRoute({
      authentication_method: "jwt",
      authentication_resource_path: await addCredential("jwt_auth", value),
    });
    const answer = await send(address, { token: await sign() });
    expect([answer.status, Number(answer.headers.get("retry-after")) > 0]).toEqual([503, true]);
  });
});
