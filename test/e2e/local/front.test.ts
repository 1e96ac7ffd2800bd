import { statSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import { describe, expect, it } from "vitest";
import { api, shared } from "../../support/api/api.ts";
import { newWorkspace } from "../../support/api/workspace.ts";

/** The status of a request to the engine's own port. `fetch` sends its own `Host`. */
function engineStatus(
  headers: http.OutgoingHttpHeaders,
  { path = "/_ministack/health", method = "GET" }: { path?: string; method?: string } = {},
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = http.request(`${shared().endpoint}${path}`, { headers, method }, (response) => resolve(response.resume().statusCode));
    request.on("error", reject).end(method === "POST" ? "{}" : undefined);
  });
}

/** A request for DynamoDB, which the engine answers before it determines the service of a request. */
const listTables = {
  "x-amz-target": "DynamoDB_20120810.ListTables",
  authorization: "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0",
};
const pages = [
  { origin: "https://evil.example" },
  { origin: "null" },
  { "sec-fetch-site": "cross-site" },
  { "sec-fetch-site": "same-site" },
  { host: "evil.example" },
  { host: "evil.example:80", "x-svc-engine-key": "" },
];

describe("the engine's port", () => {
  it("programs get answers, and pages of any site do not, not even those of the service", async () => {
    expect(await engineStatus({})).toBe(200);
    expect(await engineStatus({ "sec-fetch-site": "none" })).toBe(200);
    for (const headers of [...pages, { origin: shared().url }, { origin: shared().url, "x-svc-engine-key": "guess" }]) {
      expect([headers, await engineStatus(headers)]).toEqual([headers, 403]);
      const sent = { ...listTables, ...headers };
      expect([headers, await engineStatus(sent, { path: "/", method: "POST" })]).toEqual([headers, 403]);
    }
    expect(await engineStatus(listTables, { path: "/", method: "POST" })).toBe(200);
  });

  it("requests that arrive together on one connection are answered in their order, whichever service they are for", async () => {
    const { hostname, port } = new URL(shared().endpoint);
    const get = `GET /_ministack/health HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`;
    const lines = Object.entries(listTables).map(([name, value]) => `${name}: ${value}\r\n`);
    const post = `POST / HTTP/1.1\r\nHost: ${hostname}\r\n${lines.join("")}Content-Length: 2\r\n\r\n{}`;
    const socket = net.connect(Number(port), hostname);
    socket.write([post, get, post, post, get].join("").replace(/\r\n\r\n$/, "\r\nConnection: close\r\n\r\n"));
    let received = "";
    for await (const chunk of socket) received += String(chunk);
    const answers = received.split(/(?=HTTP\/1\.1 200 OK\r\n)/);
    expect(answers.map((answer) => /"(TableNames|services)"/.exec(answer)?.[1])).toEqual([
      "TableNames",
      "services",
      "TableNames",
      "TableNames",
      "services",
    ]);
  });

  it("functions do not inherit the key of the front server", async () => {
    const ws = await newWorkspace();
    await ws.saveScript({
      path: "f/t/env",
      language: "bash",
      content: "cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -c '^SVC_ENGINE_KEY=.' || true",
    });
    expect((await ws.runWait("f/t/env", {})).json).toBe("0");
  });
});

describe("the state of an instance", () => {
  it("only its owner can read what is in its folder", () => {
    expect(statSync(shared().dir).mode & 0o777).toBe(0o700);
  });
});

describe("the instance", () => {
  it("the root URL returns the version without a token", async () => {
    const answer = await api().call("GET", "version", { token: "" });
    expect(answer.status).toBe(200);
    expect(answer.text).toMatch(/^\w+ v\d+\.\d+\.\d+/);
    expect(answer.headers.get("content-type")).toMatch(/^text\/plain/);
  });

  it("an unknown URL returns an error in plain text with a code", async () => {
    const answer = await api().get("nothing/here");
    expect(answer.status).toBe(404);
    expect(answer.headers.get("content-type")).toMatch(/^text\/plain/);
    expect(answer.headers.get("x-svc-error")).toBe("route.unknown");
  });
});
