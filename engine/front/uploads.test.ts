import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { type Front, startFront } from "./front.ts";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

interface Received {
  method: string | undefined;
  url: string | undefined;
  headers: http.IncomingHttpHeaders;
  bytes: number;
}

/** A front server before a stand-in for the engine, which notes what its S3 receives. */
async function beforeStorage(): Promise<{ front: Front; received: Received[] }> {
  const received: Received[] = [];
  const engine = http.createServer(async (request, response) => {
    let bytes = 0;
    for await (const chunk of request) bytes += (chunk as Buffer).length;
    const { method, url, headers } = request;
    received.push({ method, url, headers, bytes });
    response.writeHead(200, { etag: '"1"' }).end();
  });
  await new Promise<void>((resolve) => engine.listen(0, "127.0.0.1", resolve));
  open.push({ close: () => engine.closeAllConnections() ?? engine.close() });
  const target = () => new URL(`http://127.0.0.1:${(engine.address() as AddressInfo).port}/_aws/execute-api/svc/prod`);
  const front = await startFront({ port: 0, target, engineKey: "key" });
  open.push(front);
  return { front, received };
}

describe("an upload through the front server", () => {
  it("reaches S3 under its path and query, in any size, without cookies and tokens", async () => {
    const { front, received } = await beforeStorage();
    const body = Buffer.alloc(11 * 1024 * 1024, "a");
    const headers = { cookie: "token=a", authorization: "Bearer b", "content-type": "text/csv" };
    const answer = await fetch(`${front.url}/upload/bucket/files/w/a%20b?X-Amz-Signature=a%2Fb&x-id=PutObject`, {
      method: "PUT",
      headers,
      body,
    });
    expect([answer.status, answer.headers.get("etag")]).toEqual([200, '"1"']);
    const [request] = received;
    expect(request).toMatchObject({
      method: "PUT",
      url: "/bucket/files/w/a%20b?X-Amz-Signature=a%2Fb&x-id=PutObject",
      bytes: body.length,
      headers: { "content-type": "text/csv", "content-length": String(body.length) },
    });
    expect(request?.headers).not.toHaveProperty("cookie");
    expect(request?.headers).not.toHaveProperty("authorization");
  });

  it.each(["GET", "HEAD", "POST", "DELETE", "OPTIONS"])("does not reach S3 with %s", async (method) => {
    const { front, received } = await beforeStorage();
    const answer = await fetch(`${front.url}/upload/bucket/files/w/page.html?X-Amz-Signature=a`, { method });
    expect([answer.status, answer.headers.get("allow"), answer.headers.get("x-svc-error")]).toEqual([405, "PUT", "upload.method"]);
    expect(received).toEqual([]);
  });

  it("does not reach S3 without a signature", async () => {
    const { front, received } = await beforeStorage();
    const answer = await fetch(`${front.url}/upload/bucket/files/w/a`, { method: "PUT", body: "a" });
    expect([answer.status, received]).toEqual([403, []]);
  });

  it("does not reach S3 from a page of another site", async () => {
    const { front, received } = await beforeStorage();
    const headers = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    const answer = await fetch(`${front.url}/upload/bucket/files/w/a?X-Amz-Signature=a`, { method: "PUT", body: "a", headers });
    expect([answer.status, received]).toEqual([403, []]);
  });
});
