import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { env } from "../../contract/env.ts";
import { limits } from "../../contract/limits.ts";

/** The name that the test of DNS rebinding resolves. */
const rebound = vi.hoisted(() => ({ answers: [] as string[] }));
vi.mock("node:dns", async (original) => {
  const dns = await original<typeof import("node:dns")>();
  const lookup = (name: string, options: object, callback: (error: Error | null, found: unknown) => void) => {
    if (name !== "rebinding.test") return dns.lookup(name, options, callback as never);
    const address = rebound.answers.length > 1 ? rebound.answers.shift() : rebound.answers[0];
    callback(null, [{ address, family: 4 }]);
  };
  return { ...dns, lookup };
});

let heard: string[] = [];
const server = createServer((request, response) => {
  heard.push(`${request.method} ${request.url}`);
  const [, status, kind] = /^\/(\d+)\/?(.*)/.exec(request.url ?? "") ?? [];
  const retryAfter = kind?.startsWith("after") ? { "retry-after": decodeURIComponent(kind.slice("after=".length)) } : {};
  response.writeHead(Number(status), { location: "/204", ...retryAfter });
  if (kind === "endless") {
    const timer = setInterval(() => response.write("x"), 20);
    response.on("close", () => clearInterval(timer));
  } else if (kind === "flood") {
    const flood = () => {
      while (!response.destroyed && response.write("x".repeat(65_536)));
    };
    response.on("drain", flood);
    flood();
  } else response.end("x".repeat(100_000));
});
/** Servers that never finish their headers, or never send anything. */
const sockets = new Set<Socket>();
const silent = createTcpServer((socket) => void sockets.add(socket.on("error", () => undefined)));
const dribbling = createTcpServer((socket) => {
  sockets.add(socket.on("error", () => undefined));
  const timer = setInterval(() => socket.write("HTTP/1.1 200 OK\r\nx-a: b\r\n".slice(0, 1)), 20);
  socket.on("close", () => clearInterval(timer));
});
const originOf = (listener: Server) => `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
let origin = "";
beforeAll(async () => {
  for (const listener of [server, silent, dribbling]) await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  origin = originOf(server);
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  for (const listener of [server, silent, dribbling]) listener.close();
  server.closeAllConnections();
  vi.unstubAllEnvs();
  vi.resetModules();
});

/** The module reads the allowed ranges when it is loaded. */
async function allowing(ranges: string) {
  vi.resetModules();
  vi.stubEnv(env.egressAllow, ranges);
  const { webhooks } = await import("./webhooks.ts");
  return (url: string, answerMs = 5000) => webhooks.post(url, {}, "{}", { answerMs });
}

const refusal = { ok: false, final: true, error: "its address is inside the network, which is not allowed" };

describe("webhook requests", () => {
  it.each([
    [200, { ok: true }],
    [204, { ok: true }],
    [302, { ok: false, final: false, error: "it returned status 302: redirects are not followed" }],
    [410, { ok: false, final: true, gone: true, error: "it returned status 410" }],
    [422, { ok: false, final: false, error: "it returned status 422" }],
    [503, { ok: false, final: false, error: "it returned status 503" }],
  ])("a response with status %i determines the outcome in one request", async (status, expected) => {
    heard = [];
    const post = await allowing("127.0.0.0/8");
    expect(await post(`${origin}/${status}`)).toEqual({ ...expected, status });
    expect(heard).toEqual([`POST /${status}`]);
  });

  it("a message without a receiver fails and may succeed later", async () => {
    const post = await allowing("127.0.0.0/8");
    expect(await post("http://127.0.0.1:9/")).toEqual({ ok: false, final: false, error: "ECONNREFUSED" });
  });

  it.each([
    ["7", 7000],
    ["Mon, 01 Jan 2001 00:00:00 GMT", 0],
    ["soon", undefined],
  ])("a failure with Retry-After %s requests a pause", async (header, expected) => {
    const post = await allowing("127.0.0.0/8");
    const { retryAfterMs } = (await post(`${origin}/503/after=${encodeURIComponent(header)}`)) as { retryAfterMs?: number };
    expect(retryAfterMs).toBe(expected);
  });

  it("a failure with a date in Retry-After requests a pause until then", async () => {
    const post = await allowing("127.0.0.0/8");
    const date = new Date(Date.now() + 3_600_000).toUTCString();
    const sentMs = Date.now();
    const { retryAfterMs = 0 } = (await post(`${origin}/503/after=${encodeURIComponent(date)}`)) as { retryAfterMs?: number };
    // The pause was computed at some moment between the request and now.
    expect(sentMs + retryAfterMs).toBeLessThanOrEqual(Date.parse(date));
    expect(Date.now() + retryAfterMs).toBeGreaterThanOrEqual(Date.parse(date));
  });

  it("a hundred messages wait for one receiver at the same time", async () => {
    const post = await allowing("127.0.0.0/8");
    // One after the other, they would exceed the time of the test.
    const all = await Promise.all(Array.from({ length: 100 }, () => post(originOf(silent), 1000)));
    expect(new Set(all.map((attempt) => JSON.stringify(attempt))).size).toBe(1);
  });
});

describe("hostile receivers", () => {
  it.each([
    ["sends a body without end", () => `${origin}/200/endless`],
    ["never answers", () => originOf(silent)],
    ["sends its headers without end", () => originOf(dribbling)],
    ["never finishes the TLS handshake", () => originOf(silent).replace("http:", "https:")],
  ])("an attempt at a receiver that %s fails in time", async (_, url) => {
    const post = await allowing("127.0.0.0/8");
    // Without its limit, the attempt would exceed the time of the test.
    expect(await post(url(), 300)).toMatchObject({ ok: false, final: false });
  });

  it("an attempt has at most ten seconds", () => expect(limits.webhookAnswerMs).toBe(10_000));

  it("a large body ends the attempt before it is read", async () => {
    const post = await allowing("127.0.0.0/8");
    expect(await post(`${origin}/200/flood`)).toEqual({ ok: false, final: false, error: "its response is larger than 1 MB" });
  });

  it.each([
    ...[
      "http://127.0.0.1",
      "http://2130706433",
      "http://0x7f000001",
      "http://0177.0.0.1",
      "http://127.1",
      "http://0.0.0.0",
      "http://[::1]",
    ],
    ...[
      "http://[::ffff:127.0.0.1]",
      "http://[::ffff:7f00:1]",
      "http://10.0.0.1",
      "http://172.16.0.1",
      "http://192.168.1.1",
      "http://[fd00::1]",
    ],
    ...["http://169.254.169.254/latest/meta-data", "http://[fd00:ec2::254]", "http://169.254.170.2", "http://[64:ff9b::a9fe:a9fe]"],
    ...["http://localhost", "http://LOCALHOST", "http://100.64.0.1", "http://[fe80::1]", "http://[2002:7f00:1::]", "http://①②⑦.0.0.1"],
  ])("%s is never reached", async (url) => {
    const post = await allowing("");
    const withPort = URL.parse(url) && new URL(url);
    if (withPort) withPort.port = new URL(origin).port;
    heard = [];
    expect(await post(String(withPort))).toEqual(refusal);
    expect(heard).toEqual([]);
  });

  it.each(["ftp://example.com", "file:///etc/passwd", "gopher://127.0.0.1", "not a URL", ""])("%j is not an http URL", async (url) => {
    const post = await allowing("");
    expect(await post(url)).toMatchObject({ ok: false, final: true, error: "it is not an http or https URL" });
  });

  it("a name that resolves to an inner address at the second lookup is not reached", async () => {
    heard = [];
    const post = await allowing("");
    const { port } = new URL(origin);
    // The first address is public, but no host answers there.
    rebound.answers = ["192.0.2.1", "127.0.0.1"];
    expect(await post(`http://rebinding.test:${port}/200`, 200)).toMatchObject({ ok: false });
    expect(await post(`http://rebinding.test:${port}/200`, 200)).toEqual(refusal);
    expect(heard).toEqual([]);
  });

  it("an error contains no part of the URL", async () => {
    const post = await allowing("127.0.0.0/8");
    for (const url of ["http://user:secret@127.0.0.1:9/secret?secret", `${origin}/500/secret?secret`, "http://secret.invalid/secret"]) {
      expect(JSON.stringify(await post(url, 3000))).not.toContain("secret");
    }
  });
});
