import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
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
async function loadModule(allowed: string) {
  vi.resetModules();
  vi.stubEnv(env.egressAllow, allowed);
  return import("./guarded-fetch.ts");
}
const loadWith = async (allowed: string) => (await loadModule(allowed)).fetchGuarded;

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

  it("is sent again if the other side closes a connection that is used again", async () => {
    const heard: string[] = [];
    const closing = createTcpServer((socket) => {
      let requests = 0;
      socket.on("data", () => {
        requests += 1;
        heard.push(`${requests}`);
        if (requests === 2) socket.resetAndDestroy();
        else socket.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
      });
    });
    await new Promise<void>((resolve) => closing.listen(0, "127.0.0.1", resolve));
    const { sendGuarded } = await loadModule("127.0.0.0/8");
    const target = new URL(`http://127.0.0.1:${(closing.address() as AddressInfo).port}`);
    const send = async () => (await sendGuarded(target, { ...request, keepAlive: true })).status;
    expect([await send(), await send()]).toEqual([200, 200]);
    expect(heard).toEqual(["1", "2", "1"]);
    closing.close();
  });
});
