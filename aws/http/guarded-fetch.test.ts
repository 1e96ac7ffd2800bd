import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { env } from "../../contract/env.ts";

const requests: string[] = [];
const server = createServer((request, response) => {
  requests.push(`${request.method} ${request.url}`);
  if (request.url === "/silent") return;
  if (request.url === "/moved") response.writeHead(302, { location: "/other" });
  response.end(request.url === "/large" ? "x".repeat(100_000) : '{"a":1}');
});
let url = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const request = { method: "POST", headers: {}, body: "a=1", timeoutMs: 500, maxBytes: 1000 };
/** The module reads the allowed ranges when it is loaded. */
async function loadWith(allowed: string) {
  vi.resetModules();
  vi.stubEnv(env.egressAllow, allowed);
  return (await import("./guarded-fetch.ts")).fetchGuarded;
}

describe("a guarded request", () => {
  it.each(["http://127.0.0.1:1/", "http://[::1]:1/", "http://169.254.169.254/latest", "http://localhost:1/", "http://10.0.0.1/"])(
    "does not reach %s",
    async (address) => {
      const fetchGuarded = await loadWith("");
      await expect(fetchGuarded(address, request)).rejects.toMatchObject({ name: "ForbiddenAddress" });
    },
  );

  it("returns the response, does not follow a redirect, and ends in time and at its size", async () => {
    const fetchGuarded = await loadWith("127.0.0.0/8");
    expect(await (await fetchGuarded(`${url}/token`, request)).json()).toEqual({ a: 1 });
    expect((await fetchGuarded(`${url}/moved`, request)).status).toBe(302);
    await expect(fetchGuarded(`${url}/large`, request)).rejects.toThrow("larger than 1000 bytes");
    await expect(fetchGuarded(`${url}/silent`, request)).rejects.toThrow();
    expect(requests).toEqual(["POST /token", "POST /moved", "POST /large", "POST /silent"]);
  });
});
