import { describe, expect, it } from "vitest";
import { createClient, readValue } from "./client.ts";
import type { Body, CallInput, Reply } from "./operation.ts";
import { variableOperations } from "./operations/stored.ts";
import type { ApiRequest } from "./request.ts";

/** A client whose transport records its requests. */
function record(value: unknown) {
  const requests: ApiRequest[] = [];
  const send = async (request: ApiRequest) => {
    requests.push(request);
    return { status: 200, headers: new Headers({ etag: '"1"' }), value };
  };
  return { requests, ...createClient(variableOperations, send, { workspace: "demo" }) };
}

describe("createClient", () => {
  it("sends what the route declares, with the parts of the address that the client was created with", async () => {
    const { call, requests } = record("created");
    await call.variables.get({ path: "f/app/a key", query: { decrypt_secret: false, include_encrypted: undefined } });
    await call.variables.create({ workspace: "other", body: { path: "f/app/key", value: "1", is_secret: false } });
    await call.variables.list();
    expect(requests).toEqual([
      { method: "GET", address: "/api/w/demo/variables/get/f/app/a%20key?decrypt_secret=false" },
      { method: "POST", address: "/api/w/other/variables/create", body: { path: "f/app/key", value: "1", is_secret: false } },
      { method: "GET", address: "/api/w/demo/variables/list" },
    ]);
  });

  it("returns the value, or the answer with its headers", async () => {
    const { call, ask } = record([{ path: "f/app/key" }]);
    const [variable] = await call.variables.list({ query: { page: 1 } });
    expect(variable?.path).toBe("f/app/key");
    const { status, headers, value } = await ask.variables.exists({ path: "f/app/key", headers: { "if-match": '"1"' } });
    expect([status, headers.get("etag"), value]).toEqual([200, '"1"', [{ path: "f/app/key" }]]);
  });

  it("passes headers and the signal to the transport", async () => {
    const { call, requests } = record(true);
    const { signal } = new AbortController();
    await call.variables.exists({ path: "f/app/key", headers: { "if-match": '"1"' }, signal });
    expect(requests).toEqual([
      { method: "GET", address: "/api/w/demo/variables/exists/f/app/key", headers: { "if-match": '"1"' }, signal },
    ]);
  });

  it("compiles only calls that the declarations allow", () => {
    const { call } = record(true);
    const calls = [
      // @ts-expect-error There is no such route.
      () => call.variables.move({ path: "f/app/key" }),
      // @ts-expect-error The path is missing.
      () => call.variables.get(),
      // @ts-expect-error The route has no such parameter.
      () => call.variables.get({ path: "f/app/key", query: { decrypt: false } }),
      // @ts-expect-error The body lacks a field.
      () => call.variables.create({ body: { path: "f/app/key", value: "1" } }),
      // @ts-expect-error The route has no body.
      () => call.variables.delete({ path: "f/app/key", body: {} }),
      // @ts-expect-error The client has only the operations of variables.
      () => call.scripts.list(),
    ];
    expect(calls).toHaveLength(6);
    const exists: Reply<"variables.exists"> = true;
    const numbers: CallInput<"jobs.list">["query"] = { page: 1, per_page: 100, success: false };
    const change: Body<"variables.update"> = { value: "2" };
    // @ts-expect-error The reply is a flag.
    const text: Reply<"variables.exists"> = "true";
    expect([exists, numbers, change, text]).toHaveLength(4);
  });
});

describe("readValue", () => {
  it.each([
    ["application/json; charset=utf-8", "[1]", [1]],
    ["text/plain", "[1]", "[1]"],
    [null, "", ""],
  ])("reads a reply of the type %s", (type, text, value) => {
    expect(readValue(type, text)).toEqual(value);
  });
});
