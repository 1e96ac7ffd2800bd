import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { ApiClient } from "../api/client.ts";
import { storeTempSources } from "./temp-sources.ts";

let server: http.Server | undefined;
afterEach(() => server?.close());

interface Answer {
  status: number;
  body: unknown;
  code?: string;
}

/** Starts a service with one answer for each route, and stores two sources there. */
async function store(answers: Readonly<Record<string, Answer>>) {
  const requests: string[] = [];
  const warnings: string[] = [];
  server = http.createServer(async (request, response) => {
    let sent = "";
    for await (const chunk of request.setEncoding("utf8")) sent += chunk;
    const route = request.url?.replace("/api/w/w/scripts/raw_temp/", "") ?? "";
    requests.push(`${route} ${sent}`);
    const { status, body, code = "" } = answers[route] ?? { status: 404, body: "Not found" };
    response.writeHead(status, { "content-type": "application/json", "x-svc-error": code }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sources = new Map([
    ["f/t/a", "a"],
    ["f/t/b", "b"],
  ]);
  const output = { say: (text: string) => warnings.push(text) };
  const stored = await storeTempSources(new ApiClient({ url, token: "t", workspace: "w" }), sources, { output, parallel: 2 });
  return { stored, requests, warnings };
}

describe("storeTempSources", () => {
  it("stores only the sources that the workspace does not have", async () => {
    const { stored, requests, warnings } = await store({
      diff: { status: 200, body: ["f/t/b"] },
      store: { status: 201, body: "hash of b" },
    });
    expect([[...stored], warnings]).toEqual([[["f/t/b", "hash of b"]], []]);
    expect(requests).toEqual([
      'diff {"scripts":{"f/t/a":"ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb","f/t/b":"3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d"}}',
      'store "b"',
    ]);
  });

  it("continues with a warning at a service without these routes", async () => {
    const { stored, warnings } = await store({});
    expect([stored.size, warnings]).toEqual([0, [expect.stringContaining("Push the imported scripts first")]]);
  });

  it.each([
    ["an unknown workspace", { status: 404, body: "No", code: "workspace.notFound" }, "There is no workspace w"],
    ["a missing right", { status: 403, body: "You may not." }, "You may not."],
  ])("fails for %s", async (_, answer, message) => {
    await expect(store({ diff: answer })).rejects.toThrow(message);
  });
});
