import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { CommandError } from "../errors.ts";
import { ApiClient } from "./client.ts";
import { readFirst } from "./pages.ts";

let server: http.Server | undefined;
afterEach(() => server?.close());

/** Starts a service that sends these responses in order, and returns a client for it with the received requests. */
async function serve(answers: { status: number; body?: string; headers?: Record<string, string> }[]) {
  const requests: (string | undefined)[] = [];
  server = http.createServer((request, response) => {
    const { status, body = "", headers = {} } = answers[Math.min(requests.length, answers.length - 1)] ?? { status: 500 };
    requests.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { requests, client: new ApiClient({ url: `${url}/`, token: "t", workspace: "w", profile: "dev" }) };
}

describe("ApiClient", () => {
  it("calls routes of the workspace and of the instance with the token", async () => {
    const { client, requests } = await serve([{ status: 200, body: "[1]", headers: { "content-type": "application/json" } }]);
    expect(await client.call.scripts.list({ query: { page: 1, label: undefined } })).toEqual([1]);
    await client.call.users.whoamiGlobal();
    expect(requests).toEqual(["GET /api/w/w/scripts/list?page=1 Bearer t", "GET /api/users/whoami Bearer t"]);
  });

  it("shows a warning of the service", async () => {
    const { client } = await serve([
      { status: 201, body: "a", headers: { "x-svc-warning": "A route refuses all requests." } },
      { status: 201 },
    ]);
    const warnings: string[] = [];
    const warned = new ApiClient({ ...client.options, warn: (text) => void warnings.push(text) });
    await warned.callAny("scripts.create", { body: {} });
    await warned.callAny("scripts.create", { body: {} });
    expect(warnings).toEqual(["A route refuses all requests."]);
  });

  it("retries a request that is refused temporarily, at most five times", async () => {
    const { client, requests } = await serve([
      { status: 429, headers: { "retry-after": "0.01" } },
      { status: 503 },
      { status: 200, body: "ok" },
    ]);
    expect(await client.call.instance.version()).toBe("ok");
    expect(requests).toHaveLength(3);
    const always = await serve([{ status: 503, body: "busy", headers: { "retry-after": "0.01" } }]);
    await expect(always.client.call.instance.version()).rejects.toThrow("busy");
    expect(always.requests).toHaveLength(6);
  });

  it.each([
    [401, "", {}, "The token of the profile dev is not valid"],
    [403, "You need the right scripts.create.", {}, "You need the right scripts.create."],
    [404, "There is no workspace w.", { "x-svc-error": "workspace.notFound" }, "There is no workspace w at"],
    [403, "<!DOCTYPE html><p>Forbidden", {}, "a proxy stands between"],
    [200, "<html>Sign in", { "content-type": "text/html" }, "a proxy stands between"],
    [200, "{", { "content-type": "application/json" }, "broken JSON"],
  ])("explains a reply with the status %i and the body %j", async (status, body, headers, message) => {
    const { client } = await serve([{ status, body, headers }]);
    await expect(client.call.scripts.list()).rejects.toThrow(message);
  });

  it("downloads from the location that the service names without sending the token, and returns the ETag of the service", async () => {
    const storage = await serve([{ status: 200, body: "bytes", headers: { etag: '"of the storage"' } }]);
    const before = server;
    const location = `${storage.client.options.url}/archives/1?signature=s`;
    const { client } = await serve([{ status: 302, headers: { location, etag: '"1"' } }, { status: 304 }]);
    const { etag, bytes } = await client.download("workspaces.tarball", {});
    expect([etag, new TextDecoder().decode(bytes)]).toEqual(['"1"', "bytes"]);
    expect(storage.requests).toEqual(["GET /archives/1?signature=s undefined"]);
    expect(await client.download("workspaces.tarball", { ifNoneMatch: '"1"' })).toEqual({ etag: undefined });
    before?.close();
  });

  it("sends no request if its path would lead to another address", async () => {
    const { client, requests } = await serve([{ status: 200 }]);
    await expect(client.call.variables.delete({ path: "../../scripts" })).rejects.toThrow(CommandError);
    await expect(client.find.flows.get({ path: "." })).rejects.toThrow("which no address can contain");
    expect(requests).toEqual([]);
  });

  it("says that a service does not answer", async () => {
    const client = new ApiClient({ url: "http://127.0.0.1:9", token: "t", workspace: "w" });
    await expect(client.call.instance.version()).rejects.toThrow("does not answer");
  });
});

describe("readFirst", () => {
  const readJobs = (client: ApiClient) =>
    readFirst({ limit: 5, header: "x-next-cursor" }, (cursor, per_page) =>
      client.ask.jobs.list({ query: { success: false, cursor, per_page } }),
    );
  const page = (rows: number[], cursor?: string) => ({
    status: 200,
    body: JSON.stringify(rows),
    headers: {
      "content-type": "application/json",
      ...(cursor === undefined ? {} : { "x-next-cursor": cursor, "x-partial-count": "true" }),
    },
  });
  it("continues after pages without matches, so that an empty list means that nothing matches", async () => {
    const { client, requests } = await serve([page([], "a"), page([], "b"), page([1], "c"), page([2])]);
    expect(await readJobs(client)).toEqual([1, 2]);
    expect(requests.map((line) => /cursor=(\w)/.exec(line ?? "")?.[1])).toEqual([undefined, "a", "b", "c"]);
    const none = await serve([page([], "a"), page([])]);
    expect(await readJobs(none.client)).toEqual([]);
    expect(none.requests).toHaveLength(2);
  });
});
