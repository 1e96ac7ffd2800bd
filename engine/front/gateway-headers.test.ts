import http, { type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { startFront } from "./front.ts";
import { headersForCaller, headersForFunction, restoreAtEdge } from "./gateway-headers.ts";

/** The table of "Amazon API Gateway important notes" for REST APIs, with the column of Lambda integrations. */
const table: readonly [name: string, request: "pass" | "drop", reply: "pass" | "drop" | "rename" | "overwrite"][] = [
  ["Age", "pass", "pass"],
  ["Accept", "pass", "pass"],
  ["Accept-Charset", "pass", "pass"],
  ["Accept-Encoding", "pass", "pass"],
  ["Authorization", "pass", "rename"],
  ["Connection", "drop", "rename"],
  ["Content-Encoding", "pass", "pass"],
  ["Content-Length", "pass", "pass"],
  ["Content-MD5", "drop", "rename"],
  ["Content-Type", "pass", "pass"],
  ["Date", "pass", "overwrite"],
  ["Expect", "drop", "drop"],
  ["Max-Forwards", "drop", "rename"],
  ["Pragma", "pass", "pass"],
  ["Proxy-Authenticate", "drop", "drop"],
  ["Range", "pass", "pass"],
  ["Referer", "pass", "pass"],
  ["Server", "drop", "overwrite"],
  ["TE", "drop", "drop"],
  ["Trailer", "drop", "drop"],
  ["Upgrade", "drop", "drop"],
  ["User-Agent", "pass", "rename"],
  ["Via", "pass", "drop"],
  ["Warn", "pass", "pass"],
  ["WWW-Authenticate", "drop", "rename"],
  ["X-Other", "pass", "pass"],
];

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

describe("headers between a caller and a function", () => {
  it.each(table)("%s: %s in a request, %s in a reply", (name, request, reply) => {
    expect(headersForFunction([name, "a"])).toEqual(request === "drop" ? [] : [name, "a"]);
    const expected = { pass: [name, "a"], drop: [], rename: [`x-amzn-remapped-${name}`, "a"] };
    if (reply !== "overwrite") return expect(headersForCaller([name, "a"])).toEqual(expected[reply]);
    // Its own header comes last.
    expect(headersForCaller([name, "a", name, "own"])).toEqual([`x-amzn-remapped-${name}`, "own", name, "own"]);
    expect(headersForCaller([name, "own"])).toEqual([name, "own"]);
  });

  it("a signature for AWS does not reach a function", () => {
    expect(headersForFunction(["authorization", "AWS4-HMAC-SHA256 Credential=a", "authorization", "Bearer b"])).toEqual([
      "authorization",
      "Bearer b",
    ]);
  });
});

describe("the CloudFront function of HTTP routes", () => {
  const challenge = [
    "X-Amzn-Remapped-WWW-Authenticate",
    "Basic",
    "x-svc-status",
    "401",
    "set-cookie",
    "a=1",
    "set-cookie",
    "b=2",
    "vary",
    "c",
  ];

  it("restores the challenge with its status, and keeps cookies apart", () => {
    expect(restoreAtEdge(200, challenge)).toEqual({
      status: 401,
      headers: ["vary", "c", "www-authenticate", "Basic", "set-cookie", "a=1", "set-cookie", "b=2"],
    });
  });

  it("sets no other status, and does not run for a status of 400 or more", () => {
    for (const carried of ["200", "500", "4010", "x"]) {
      expect(restoreAtEdge(204, ["x-svc-status", carried])).toEqual({ status: 204, headers: [] });
    }
    expect(restoreAtEdge(401, challenge)).toEqual({ status: 401, headers: challenge });
  });

  it("restores each header that CloudFront lets a function set", () => {
    const names = table.filter(([, , reply]) => reply === "rename").map(([name]) => name.toLowerCase());
    const { headers } = restoreAtEdge(200, headersForCaller(names.flatMap((name) => [name, "a"])));
    const restored = headers.filter((_, at) => at % 2 === 0).filter((name) => !name.startsWith("x-amzn-"));
    expect(restored.sort()).toEqual(["authorization", "content-md5", "max-forwards", "user-agent", "www-authenticate"]);
  });
});

describe("the front server", () => {
  async function exchange(path: string): Promise<{ status: number; received: IncomingHttpHeaders; replied: Headers }> {
    let received: IncomingHttpHeaders = {};
    const engine = http.createServer((request, response) => {
      received = request.headers;
      response.writeHead(200, { "www-authenticate": "Basic", "user-agent": "script", "x-svc-status": "401" }).end();
    });
    await new Promise<void>((resolve) => engine.listen(0, "127.0.0.1", resolve));
    open.push({ close: () => engine.closeAllConnections() ?? engine.close() });
    const front = await startFront({
      port: 0,
      target: () => new URL(`http://127.0.0.1:${(engine.address() as AddressInfo).port}/prod`),
    });
    open.push(front);
    const sent = { "content-md5": "a", "www-authenticate": "b", "x-svc-edge-restores": "forged", "x-other": "c" };
    const { status, headers } = await fetch(`${front.url}${path}`, { headers: sent });
    return { status, received, replied: headers };
  }

  it("renames and drops headers as API Gateway does", async () => {
    const { status, received, replied } = await exchange("/api/version");
    expect([status, replied.get("www-authenticate"), replied.get("x-amzn-remapped-www-authenticate")]).toEqual([200, null, "Basic"]);
    expect(received).toMatchObject({ "x-other": "c" });
    for (const name of ["content-md5", "www-authenticate", "x-svc-edge-restores"]) expect(received).not.toHaveProperty(name);
  });

  it("restores the headers of HTTP routes as CloudFront does, and tells the function so", async () => {
    const { status, received, replied } = await exchange("/api/r/shop/orders/7");
    expect([status, replied.get("www-authenticate"), replied.get("user-agent")]).toEqual([401, "Basic", "script"]);
    expect([...replied.keys()].filter((name) => name.startsWith("x-amzn-"))).toEqual([]);
    expect(received).toMatchObject({ "x-svc-edge-restores": "1" });
  });
});
