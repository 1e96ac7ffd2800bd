import { once } from "node:events";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { comesFromJob, type Front, type FrontEvent, type FrontOptions, splitTarget, startFront } from "./front.ts";
import { endToEnd } from "./request-head.ts";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

/** A stand-in for the engine, and a front server before it. */
async function behind(engine: http.RequestListener, options: Partial<FrontOptions> = {}): Promise<{ front: Front; events: FrontEvent[] }> {
  const server = http.createServer(engine);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push({ close: () => server.closeAllConnections() ?? server.close() });
  const { port } = server.address() as AddressInfo;
  const events: FrontEvent[] = [];
  const target = () => new URL(`http://127.0.0.1:${port}/_aws/execute-api/svc/prod`);
  const front = await startFront({ port: 0, target, onRequest: (event) => events.push(event), ...options });
  open.push(front);
  return { front, events };
}

const TOO_LONG = /^HTTP\/1\.1 431 [^<]+x-svc-error: request\.tooLong[^<]+limit of 10 KB[^<]+\.$/s;
const MALFORMED = /^HTTP\/1\.1 400 [^<]+x-svc-error: gateway\.badRequest[^<]+\.$/s;

describe("the front server", () => {
  it("the server prepends the path of the stage and leaves the rest of the path unchanged", async () => {
    const { front } = await behind((request, response) => response.end(request.url));
    const path = "/api/w/demo/scripts/get/p/f%2Fa/%C3%A9%20x//y?b=%20&a=1&a=2";
    const answer = await fetch(front.url + path);
    expect(await answer.text()).toBe(`/_aws/execute-api/svc/prod${path}`);
  });

  it("the server forwards method, body and headers, and returns status and headers of the response", async () => {
    const { front } = await behind(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      response.writeHead(418, { "x-svc-error": "teapot", "content-type": "text/plain" });
      response.end(`${request.method} ${request.headers["x-one"]} ${Buffer.concat(chunks)}`);
    });
    const answer = await fetch(`${front.url}/x`, { method: "PUT", headers: { "x-one": "1" }, body: "héllo" });
    expect(answer.status).toBe(418);
    expect(answer.headers.get("x-svc-error")).toBe("teapot");
    expect(await answer.text()).toBe("PUT 1 héllo");
  });

  it("the server requests an uncompressed body if the client names no encoding", async () => {
    const { front } = await behind((request, response) => response.end(String(request.headers.accept)));
    const answer = await new Promise<http.IncomingMessage>((resolve) => http.get(`${front.url}/x`, resolve));
    expect(Buffer.concat(await answer.toArray()).toString()).toBe("*/*");
    expect(await (await fetch(front.url, { headers: { accept: "text/csv" } })).text()).toBe("text/csv");
  });

  it("the live log contains each request without tokens and without signatures of links", async () => {
    const { front, events } = await behind((_, response) => response.end());
    const signature = "0aF9".repeat(16);
    for (const path of [
      `/approve/demo/1/2/${signature}?approver=a`,
      `/api/w/demo/jobs_u/resume/1/2/${signature}`,
      `/api/w/demo/jobs_u/other/${signature}`,
      "/api/users/tokens/delete/abc/def",
      "/api/auth/device/ABCD-EFGH",
    ]) {
      await fetch(front.url + path);
    }
    await expect.poll(() => events).toHaveLength(5);
    expect(events.map(({ path }) => path)).toEqual([
      "/approve/demo/1/2/…",
      "/api/w/demo/jobs_u/resume/1/2/…",
      "/api/w/demo/jobs_u/other/…",
      "/api/users/tokens/delete/…",
      "/api/auth/device/…",
    ]);
  });

  it("the server refuses requests from pages of other sites, and the engine receives none of them", async () => {
    let reached = 0;
    const { front } = await behind((_, response) => {
      reached += 1;
      response.end();
    });
    for (const headers of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }, { "sec-fetch-site": "same-site" }]) {
      const answer = await fetch(front.url, { method: "POST", headers });
      expect([answer.status, answer.headers.get("x-svc-error")]).toEqual([403, "request.otherSite"]);
    }
    expect(await statusFor(front, { host: "evil.example" })).toBe(403);
    expect(reached).toBe(0);
    expect(await statusFor(front, { host: `localhost:${front.port}` })).toBe(200);
    expect((await fetch(front.url, { headers: { origin: front.url, "sec-fetch-site": "same-origin" } })).status).toBe(200);
  });

  it("the server sends the engine its key, whatever a caller sends", async () => {
    const { front } = await behind((request, response) => response.end(JSON.stringify(request.headers["x-svc-engine-key"])), {
      engineKey: "secret",
    });
    expect(await (await fetch(front.url, { headers: { "X-Svc-Engine-Key": "guess" } })).json()).toBe("secret");
  });

  it("the response has two separate cookies", async () => {
    const { front } = await behind((_, response) => {
      response.setHeader("set-cookie", ["a=1", "b=2"]);
      response.end();
    });
    expect((await fetch(front.url)).headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  });

  it("the server streams a response as it arrives", async () => {
    const heard = Promise.withResolvers<void>();
    const { front } = await behind(async (_, response) => {
      response.write("first");
      await heard.promise;
      response.end("second");
    });
    const reader = (await fetch(front.url)).body?.getReader();
    const first = await reader?.read();
    expect(Buffer.from(first?.value ?? []).toString()).toBe("first");
    heard.resolve();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe("second");
  });

  it("the engine receives the disconnect of the client", async () => {
    const caller = new AbortController();
    const gone = Promise.withResolvers<void>();
    // The client disconnects after the engine has received its request.
    const { front } = await behind((request) => {
      request.socket.once("close", () => gone.resolve());
      caller.abort();
    });
    await fetch(front.url, { signal: caller.signal }).catch(() => {});
    await gone.promise;
  });

  it("the server rejects more than 10 MB, with or without Content-Length, as API Gateway does", async () => {
    const { front } = await behind((request, response) => request.resume().on("end", () => response.end("read it")));
    const announced = await fetch(front.url, { method: "POST", body: Buffer.alloc(10 * 1024 * 1024 + 1) });
    expect([announced.status, announced.headers.get("x-svc-error")]).toEqual([413, "body.tooLarge"]);
    const fits = await fetch(front.url, { method: "POST", body: Buffer.alloc(10 * 1024 * 1024) });
    expect(await fits.text()).toBe("read it");
    expect(await statusOfChunked(front, 11)).toBe(413);
  });

  it("the server rejects a URL or headers beyond 10 KB, and invalid HTTP, in one sentence", async () => {
    const { front } = await behind((_, response) => response.end());
    for (const [path, headers] of [
      [`/${"x".repeat(11_000)}`, {}],
      ["/x", { "x-long": "x".repeat(11_000) }],
    ] as const) {
      const answer = await fetch(front.url + path, { method: "POST", body: "y".repeat(100_000), headers });
      expect([answer.status, answer.headers.get("x-svc-error")]).toEqual([431, "request.tooLong"]);
      expect(await answer.text()).toMatch(/limit of 10 KB\. The longest part is the (URL|header x-long)\./);
    }
    const socket = net.connect(front.port, "127.0.0.1");
    socket.end("NONSENSE\r\n\r\n");
    expect(Buffer.concat(await socket.toArray()).toString()).toMatch(/^HTTP\/1.1 400 [^<]+x-svc-error: gateway.badRequest[^<]+\.$/s);
  });

  it.each<[string, string, RegExp]>([
    ["one header of 11 KB", `GET /x HTTP/1.1\r\nHost: localhost\r\nA: ${"x".repeat(11_000)}\r\n\r\n`, TOO_LONG],
    [
      "a token of 20,000 characters",
      `GET /x HTTP/1.1\r\nHost: localhost\r\nX-Short: y\r\nX-Token: ${"secret".repeat(3333)}\r\n\r\n`,
      /^HTTP\/1\.1 431 (?!.*secret)[^<]+longest part is the header X-Token\./s,
    ],
    ["1,000 headers", `GET /x HTTP/1.1\r\nHost: localhost\r\n${"Abcdef: 123456\r\n".repeat(1000)}\r\n`, TOO_LONG],
    ["a header name of 11 KB", `GET /x HTTP/1.1\r\nHost: localhost\r\n${"n".repeat(11_000)}: x\r\n\r\n`, TOO_LONG],
    ["headers that never end", `GET /x HTTP/1.1\r\nHost: localhost\r\n${`A: ${"b".repeat(100)}\r\n`.repeat(3000)}`, TOO_LONG],
    ["3,000 short headers", `GET /x HTTP/1.1\r\nHost: localhost\r\n${"Ab: cd\r\n".repeat(3000)}\r\n`, TOO_LONG],
    ["a URL of 11 KB", `GET /${"x".repeat(11_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`, TOO_LONG],
    ["control characters in a header", "GET /x HTTP/1.1\r\nHost: localhost\r\nA: b\u0000\u0001c\r\n\r\n", MALFORMED],
    ["a control character in a header name", "GET /x HTTP/1.1\r\nHost: localhost\r\nA\u0000: b\r\n\r\n", MALFORMED],
    ["NUL in the URL", "GET /\u0000 HTTP/1.1\r\nHost: localhost\r\n\r\n", MALFORMED],
    ["an unknown method", "HACK /x HTTP/1.1\r\nHost: localhost\r\n\r\n", MALFORMED],
    ["a future version", "GET /x HTTP/9.9\r\nHost: localhost\r\n\r\n", MALFORMED],
    ["two lengths", "POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", MALFORMED],
    ["a negative length", "POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", MALFORMED],
    [
      "a length and chunks",
      "POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      MALFORMED,
    ],
    ["no Host", "GET /x HTTP/1.1\r\n\r\n", /^HTTP\/1\.1 4\d\d /],
  ])("the server answers a request with %s in one sentence, and continues", async (_what, request, expected) => {
    const { front } = await behind((_, response) => response.end("ok"));
    expect(await sendRaw(front, request)).toMatch(expected);
    expect(await (await fetch(front.url)).text()).toBe("ok");
  });

  it("bytes of headers that are not ASCII reach the engine unchanged", async () => {
    const { front } = await behind((request, response) => response.end(JSON.stringify(request.headers["x-a"])));
    const answer = await sendRaw(front, "GET /x HTTP/1.1\r\nHost: localhost\r\nX-A: a\u00ff\u0080b\r\nConnection: close\r\n\r\n");
    expect(Buffer.from(answer, "latin1").toString("utf8")).toContain('"a\u00ff\u0080b"');
  });

  it("the server returns 503 in plain text while there is no engine and when it does not respond", async () => {
    const { front: starting } = await behind(() => {}, { target: () => undefined });
    const { front: dead } = await behind(() => {}, { target: () => new URL("http://127.0.0.1:1/x") });
    for (const { url } of [starting, dead]) {
      const answer = await fetch(url);
      expect([answer.status, answer.headers.get("x-svc-error")]).toEqual([503, "engine.unreachable"]);
      expect(answer.headers.get("content-type")).toMatch(/^text\/plain/);
    }
  });

  it("the server reports each request without its query string", async () => {
    const { front, events } = await behind((_, response) => {
      response.setHeader("x-svc-job-id", "j-1");
      response.setHeader("x-svc-job-state", "failed");
      response.end();
    });
    await fetch(`${front.url}/api/w/demo/jobs/run/p/f/a?token=secret`, { method: "POST" });
    await expect.poll(() => events.length).toBe(1);
    expect(events[0]).toMatchObject({ method: "POST", path: "/api/w/demo/jobs/run/p/f/a", status: 200 });
    expect(JSON.stringify(events)).not.toContain("secret");
  });

  it("the calls of a job pass while other callers wait for a slot", async () => {
    let waiting = 0;
    const { front } = await behind((request, response) => {
      if (request.headers.authorization?.startsWith("Bearer eyJ")) return void response.end("job");
      waiting += 1;
    });
    const callers = new AbortController();
    const calls = Array.from({ length: 40 }, () => fetch(front.url, { signal: callers.signal }).catch(() => {}));
    await expect.poll(() => waiting).toBe(32);
    expect(await (await fetch(front.url, { headers: { authorization: "Bearer eyJhbGciOi" } })).text()).toBe("job");
    expect(await (await fetch(front.url, { headers: { authorization: "Bearer eyJhbGciOi" }, method: "POST", body: "x" })).text()).toBe(
      "job",
    );
    callers.abort();
    await Promise.all(calls);
  });

  it("streaming routes are forwarded to their own address, chunk by chunk", async () => {
    const streams = http.createServer((request, response) => {
      response.write(`first ${request.url}`);
      setTimeout(() => response.end(" last"), 50);
    });
    await new Promise<void>((resolve) => streams.listen(0, "127.0.0.1", resolve));
    open.push(streams);
    const to = new URL(`http://127.0.0.1:${(streams.address() as AddressInfo).port}`);
    const { front } = await behind((_, response) => response.end("engine"), {
      streamTargets: { stream: async () => to, routes: async () => to },
    });
    const path = "/api/w/a/jobs/run_and_stream/p/f/a/b?x=1";
    const answer = await fetch(front.url + path, { method: "POST", body: "{}" });
    const pieces: string[] = [];
    for await (const piece of answer.body ?? []) pieces.push(Buffer.from(piece).toString());
    expect(pieces).toEqual([`first ${path}`, " last"]);
  });

  describe("a repeated request for a path that failed", () => {
    const statuses = [400, 401, 403, 404, 405, 409, 410, 412, 414, 415, 416, 422, 429, 500, 501, 502, 503, 504];
    async function askTwice(status: number, options: Partial<FrontOptions> & { method?: string; cacheControl?: string }) {
      const { method = "GET", cacheControl = "no-store", ...more } = options;
      let asked = 0;
      const { front } = await behind((_, response) => {
        response.writeHead(status, { "cache-control": cacheControl }).end(method === "HEAD" ? "" : String(asked));
        asked += 1;
      }, more);
      const first = await fetch(`${front.url}/x?caller=1`, { method });
      await first.text();
      const second = await fetch(`${front.url}/x?caller=2`, { method, headers: { authorization: "Bearer another" } });
      return { asked, status: second.status, body: await second.text(), age: second.headers.get("age") };
    }

    it.each(statuses)("gets a new reply after %s", async (status) => {
      const { asked, age } = await askTwice(status, {});
      expect({ asked, age }).toEqual({ asked: 2, age: null });
    });

    it("would get the reply to another caller if the distribution set no caching times for errors", async () => {
      const kept = [];
      for (const status of statuses) {
        const { asked, ...answer } = await askTwice(status, { errorTtlS: {} });
        if (asked === 1) expect(answer).toEqual({ status, body: "0", age: "0" });
        if (asked === 1) kept.push(status);
      }
      // It obeys no-store for 404, 410, 414 and 501.
      expect(kept).toEqual([500, 502, 503, 504]);
      expect(await askTwice(404, { errorTtlS: {}, cacheControl: "max-age=0" })).toMatchObject({ asked: 1 });
      expect(await askTwice(500, { errorTtlS: {}, method: "HEAD" })).toMatchObject({ asked: 1 });
      expect(await askTwice(500, { errorTtlS: {}, method: "POST" })).toMatchObject({ asked: 2 });
      expect(await askTwice(200, { errorTtlS: {} })).toMatchObject({ asked: 2 });
    });
  });

  it("the server reports in one sentence that its port is in use", async () => {
    const { front } = await behind(() => {});
    await expect(startFront({ port: front.port, target: () => undefined })).rejects.toThrow(
      `Port ${front.port} is in use by another program. Stop that program, or choose another port with npm run up -- --port ${front.port + 1}.`,
    );
  });
});

/** Sends bytes, one for each character, and returns the response. */
async function sendRaw(front: Front, request: string): Promise<string> {
  const socket = net.connect(front.port, "127.0.0.1");
  // The server may close the connection during the request; its response has arrived by then.
  const ended = once(socket, "close");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk)).on("error", () => undefined);
  socket.write(Buffer.from(request, "latin1"));
  socket.setTimeout(5000, () => socket.destroy());
  await ended;
  return Buffer.concat(chunks).toString("latin1");
}

/** `fetch` sends its own `Host`. */
function statusFor(front: Front, headers: http.OutgoingHttpHeaders): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    http.get(front.url, { headers }, (response) => resolve(response.resume().statusCode)).on("error", reject);
  });
}

/** Sends megabytes without a Content-Length, and returns the status. */
function statusOfChunked(front: Front, megabytes: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = http.request(front.url, { method: "POST" }, (response) => resolve(response.resume().statusCode));
    // The server may close during the upload; its response has arrived by then.
    request.on("error", reject);
    for (let i = 0; i < megabytes; i++) request.write(Buffer.alloc(1024 * 1024));
    request.end();
  });
}

describe("splitTarget", () => {
  it.each([
    ["/a?b?c", "/a", "?b?c"],
    ["/a", "/a", ""],
    ["?x=1", "/", "?x=1"],
    ["http://host:1/a?b", "/a", "?b"],
    ["//a//b", "//a//b", ""],
  ])("the function splits %s", (url, path, query) => {
    expect(splitTarget(url)).toEqual({ path, query });
  });
});

describe("comesFromJob", () => {
  it.each([
    [{ authorization: "Bearer eyJhbGci" }, "", true],
    [{ authorization: "Bearer 0FrjQ5Nb" }, "", false],
    [{ cookie: "a=b; token=eyJhbGci" }, "", true],
    [{}, "?a=1&token=eyJhbGci", true],
    [{}, "?token=0FrjQ5Nb", false],
  ])("a request with headers %j and query %s comes from a job: %s", (headers, query, expected) => {
    expect(comesFromJob({ headers }, query)).toBe(expected);
  });
});

describe("endToEnd", () => {
  it("headers of this connection are removed, whether the standard or Connection names them", () => {
    const raw = [
      "Connection",
      "close, X-Mine",
      "X-Mine",
      "1",
      "Keep-Alive",
      "5",
      "Transfer-Encoding",
      "chunked",
      "X-Kept",
      "2",
      "X-Kept",
      "3",
    ];
    expect(endToEnd(raw)).toEqual(["X-Kept", "2", "X-Kept", "3"]);
  });
});
