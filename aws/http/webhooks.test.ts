import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { env } from "../../contract/env.ts";

let heard: string[] = [];
const server = createServer((request, response) => {
  heard.push(`${request.method} ${request.url}`);
  const status = Number(/^\/(\d+)/.exec(request.url ?? "")?.[1]);
  response.writeHead(status, { location: "/204" }).end("x".repeat(100_000));
});
let origin = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  vi.unstubAllEnvs();
  vi.resetModules();
});

/** The module reads the allowed ranges when it is loaded. */
async function allowing(ranges: string) {
  vi.resetModules();
  vi.stubEnv(env.egressAllow, ranges);
  return (await import("./webhooks.ts")).webhooks;
}

describe("webhook requests", () => {
  it.each([
    [200, { ok: true }],
    [204, { ok: true }],
    [302, { ok: false, final: false, error: "it returned status 302: redirects are not followed" }],
    [410, { ok: false, final: true, error: "it returned status 410" }],
    [422, { ok: false, final: false, error: "it returned status 422" }],
    [503, { ok: false, final: false, error: "it returned status 503" }],
  ])("a response with status %i determines the outcome in one request", async (status, expected) => {
    heard = [];
    const webhooks = await allowing("127.0.0.0/8");
    expect(await webhooks.post(`${origin}/${status}`, {}, "{}")).toEqual(expected);
    expect(heard).toEqual([`POST /${status}`]);
  });

  it("a message without a receiver fails and may succeed later", async () => {
    const webhooks = await allowing("127.0.0.0/8");
    expect(await webhooks.post("http://127.0.0.1:9/", {}, "{}")).toEqual({ ok: false, final: false, error: "ECONNREFUSED" });
  });

  it("a request never reaches an address inside the network, given by number or by name", async () => {
    heard = [];
    const webhooks = await allowing("");
    const refusal = { ok: false, final: true, error: "its address is inside the network, which is not allowed" };
    expect(await webhooks.post(`${origin}/200`, {}, "{}")).toEqual(refusal);
    expect(await webhooks.post(`${origin.replace("127.0.0.1", "localhost")}/200`, {}, "{}")).toEqual(refusal);
    expect(await webhooks.post(`${origin.replace("127.0.0.1", "[::ffff:127.0.0.1]")}/200`, {}, "{}")).toEqual(refusal);
    expect(heard).toEqual([]);
  });
});
