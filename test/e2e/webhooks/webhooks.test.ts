import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";

let ws: Workspace;
const ECHO = "f/t/echo";

beforeAll(async () => {
  ws = await newWorkspace();
  await Promise.all([
    ws.saveScript({ path: ECHO, language: "bun", content: "export function main({ ...all }) { return all; }" }),
    ws.saveScript({ path: "f/t/reply", language: "bun", content: "export function main(result: unknown) { return result; }" }),
    ws.saveScript({
      path: "f/t/refuses",
      language: "bun",
      content: `export function main(over: object) { throw Object.assign(new Error("no tea"), over); }`,
    }),
    ws.saveScript({
      path: "f/t/refuses_py",
      language: "python3",
      content: `class Refused(Exception):
    pass


def main():
    error = Refused("no tea")
    error.svc_status_code = 418
    error.result = {"tea": None}
    raise error
`,
    }),
  ]);
});

interface Sent {
  type?: string;
  headers?: Record<string, string>;
  query?: Record<string, string>;
}
/** What a script gets for a body sent to a synchronous webhook. */
async function received(body: string | Uint8Array, { type, headers = {}, query = {} }: Sent = {}): Promise<unknown> {
  const answer = await ws.call("POST", `jobs/run_wait_result/p/${ECHO}`, {
    body,
    query,
    headers: { "content-type": type ?? "", ...headers },
  });
  return expectStatus(answer, 200).json;
}

describe("a webhook's body (spec 4.2)", () => {
  it("4.2.1 is read by what it is: JSON, form, anything else as raw_string", async () => {
    expect(await received('{"a":[1,{"b":null}]}', { type: "application/json" })).toEqual({ a: [1, { b: null }] });
    expect(await received('{"a":1}', { type: "text/plain" })).toEqual({ a: 1 });
    expect(await received("a=1&a=2&b=%C3%A9", { type: "application/x-www-form-urlencoded" })).toEqual({ a: ["1", "2"], b: "é" });
    expect(await received("<order/>", { type: "application/xml" })).toEqual({ raw_string: "<order/>" });
  });

  it("4.2.2 each key of an object or a form is an argument of main", async () => {
    const content = "export const main = (name: string, n: number, absent = 'default') => [name, n, absent];";
    await ws.saveScript({ path: "f/t/named", language: "bun", content });
    const run = (body: string, type: string) =>
      ws.call("POST", "jobs/run_wait_result/p/f/t/named", { body, headers: { "content-type": type } });
    expect((await run('{"n":7,"name":"Ada","other":1}', "application/json")).json).toEqual(["Ada", 7, "default"]);
    expect((await run("n=7&name=Ada", "application/x-www-form-urlencoded")).json).toEqual(["Ada", "7", "default"]);
  });

  it("4.2.3 that is no object stands under body, and any with wrap_body", async () => {
    expect(await received("[1,2]", { type: "application/json" })).toEqual({ body: [1, 2] });
    expect(await received('{"a":1}', { type: "application/json", query: { wrap_body: "true" } })).toEqual({ body: { a: 1 } });
  });

  it("4.2.4 comes as it was sent with raw=true", async () => {
    expect(await received('{ "a":1 }\n', { query: { raw: "true" } })).toEqual({ a: 1, raw_string: '{ "a":1 }\n' });
  });

  it("4.2.5 multipart: fields are arguments, files are stored, every byte of them", async () => {
    const bytes = Uint8Array.from({ length: 70_000 }, (_, at) => at % 256);
    const form = new FormData();
    form.append("title", "photos");
    form.append("photo", new Blob([bytes], { type: "image/png" }), "../../été 1.png");
    form.append("photo", new Blob(["two"]), "two.txt");
    const answer = await fetch(`${ws.api.url}/api/w/${ws.id}/jobs/run_wait_result/p/${ECHO}`, {
      method: "POST",
      headers: { authorization: `Bearer ${ws.api.token}` },
      body: form,
    });
    const found = (await answer.json()) as { title: string; photo: { s3: string; filename: string; size: number; content_type: string }[] };
    expect(found).toMatchObject({
      title: "photos",
      photo: [
        { filename: "été 1.png", size: 70_000, content_type: "image/png" },
        { filename: "two.txt", size: 3 },
      ],
    });
    expect(found.photo[0]?.s3).toMatch(/^jobs\/[0-9a-f-]{36}\/[0-9a-f-]{36}\/[^/]+\.png$/);
  });

  it("4.2.6 include_header: named headers are arguments, over what the body says", async () => {
    const found = await received('{"x_signature":"forged"}', {
      headers: { "X-Signature": "real" },
      query: { include_header: "X-Signature,X-Absent" },
    });
    expect(found).toEqual({ x_signature: "real" });
  });

  it("4.2.7 include_query: named query parameters are arguments", async () => {
    expect(await received("{}", { query: { include_query: "source,absent", source: "shop", other: "1" } })).toEqual({ source: "shop" });
  });

  it("4.2.8 CloudEvents in both modes, and no batches", async () => {
    const ce = { "ce-id": "1", "ce-source": "/s", "ce-type": "t", "ce-specversion": "1.0" };
    const metadata = { id: "1", source: "/s", type: "t", specversion: "1.0" };
    expect(await received('{"n":1}', { type: "application/json", headers: ce })).toEqual({
      n: 1,
      WEBHOOK__METADATA__: { ...metadata, datacontenttype: "application/json" },
    });
    expect(await received(JSON.stringify({ ...metadata, data: { n: 2 } }), { type: "application/cloudevents+json" })).toEqual({
      n: 2,
      WEBHOOK__METADATA__: metadata,
    });
    const batch = await ws.call("POST", `jobs/run/p/${ECHO}`, {
      body: "[]",
      headers: { "content-type": "application/cloudevents-batch+json" },
    });
    expect([batch.status, batch.headers.get("x-svc-error")]).toEqual([415, "payload.cloudEventBatch"]);
  });

  it.each([
    ["a form without a boundary", "multipart/form-data", "x", "payload.form"],
    ["an event without its type", "application/cloudevents+json", '{"id":"1","source":"/s","specversion":"1.0"}', "payload.cloudEvent"],
  ])("%s is refused with 400 before anything runs", async (_what, type, body, code) => {
    const id = randomUUID();
    const answer = await ws.call("POST", `jobs/run/p/${ECHO}`, { body, query: { job_id: id }, headers: { "content-type": type } });
    expect([answer.status, answer.headers.get("x-svc-error")]).toEqual([400, code]);
    expect((await ws.get(`jobs_u/get/${id}`)).status).toBe(404);
  });
});

describe("a run route's query (spec 4.3)", () => {
  /** What the script got, by each kind of run route. */
  async function byEachRoute(query: Record<string, string>, token: string): Promise<unknown[]> {
    const sent = { body: '{"a":1}', headers: { "x-one": "1" }, token };
    const sync = await ws.call("POST", `jobs/run_wait_result/p/${ECHO}`, { ...sent, query });
    const job = expectStatus(await ws.call("POST", `jobs/run/p/${ECHO}`, { ...sent, query }), 201).text;
    const stream = await ws.call("POST", `jobs/run_and_stream/p/${ECHO}`, { ...sent, query });
    const last = stream.text.trim().split("\n").at(-1)?.replace("data: ", "") ?? "";
    return [sync.json, (await ws.completed(job))["result"], (JSON.parse(last) as { only_result: unknown }).only_result];
  }

  it.each<[string, (token: string) => Record<string, string>, unknown]>([
    ["token: the caller's, in place of the header", (token) => ({ token }), { a: 1 }],
    ["wrap_body", () => ({ wrap_body: "true" }), { body: { a: 1 } }],
    ["raw", () => ({ raw: "true" }), { a: 1, raw_string: '{"a":1}' }],
    ["include_header", () => ({ include_header: "X-One" }), { a: 1, x_one: "1" }],
    ["include_query", () => ({ include_query: "b", b: "2" }), { a: 1, b: "2" }],
  ])("4.3 %s: on every kind of run route", async (_what, query, expected) => {
    const asked = query(ws.api.token);
    expect(await byEachRoute(asked, "token" in asked ? "" : ws.api.token)).toEqual([expected, expected, expected]);
  });
});

describe("a GET webhook (spec 4.1, 4.3)", () => {
  it("4.3 payload: reads its arguments from payload, by path and by hash, in both alphabets", async () => {
    const args = { text: "é?>~", n: 7 };
    const { hash } = (await ws.get(`scripts/get/p/${ECHO}`)).json as { hash: string };
    for (const route of [`p/${ECHO}`, `h/${hash}`]) {
      for (const alphabet of ["base64", "base64url"] as const) {
        const payload = Buffer.from(JSON.stringify(args)).toString(alphabet);
        expect(expectStatus(await ws.get(`jobs/run_wait_result/${route}`, { payload }), 200).json).toEqual(args);
      }
    }
    expect((await ws.get(`jobs/run_wait_result/p/${ECHO}`)).json).toEqual({});
  });
  it("4.3 token: is taken from the query as well", async () => {
    const answer = await ws.call("GET", `jobs/run_wait_result/p/${ECHO}`, { token: "", query: { token: ws.api.token } });
    expect(answer.status).toBe(200);
  });
  it("says what is wrong with a payload", async () => {
    const answer = await ws.get(`jobs/run_wait_result/p/${ECHO}`, { payload: "*" });
    expect([answer.status, answer.headers.get("x-svc-error")]).toEqual([400, "payload.base64"]);
  });
});

describe("a synchronous reply (spec 4.4)", () => {
  const reply = (result: unknown) => ws.runWait("f/t/reply", { result });

  it.each<[string, object, [number, string, string | null, string]]>([
    ["svc_status_code: is the reply's status", { svc_status_code: 404 }, [404, "application/json", null, '"body"']],
    ["svc_content_type: is the reply's type", { svc_content_type: "text/csv" }, [200, "text/csv", null, "body"]],
    ["svc_headers: are added to the reply's", { svc_headers: { "X-Made-By": "script" } }, [200, "application/json", "script", '"body"']],
  ])("4.4 %s, and result: is its body, by path, by hash and by GET", async (_what, shape, expected) => {
    const result = { ...shape, result: "body" };
    const { hash } = (await ws.get("scripts/get/p/f/t/reply")).json as { hash: string };
    const payload = Buffer.from(JSON.stringify({ result })).toString("base64url");
    for (const answer of [
      await reply(result),
      await ws.post(`jobs/run_wait_result/h/${hash}`, { result }),
      await ws.get("jobs/run_wait_result/p/f/t/reply", { payload }),
    ]) {
      const { headers } = answer;
      expect([answer.status, headers.get("content-type"), headers.get("x-made-by"), answer.text]).toEqual(expected);
    }
  });

  it.each(["svc_", "windmill_"])("is shaped by %sstatus_code, content_type, headers and result at once", async (prefix) => {
    const answer = await reply({
      [`${prefix}status_code`]: 202,
      [`${prefix}content_type`]: "text/csv",
      [`${prefix}headers`]: { "X-Made-By": "script" },
      result: "a,b\n",
    });
    expect([answer.status, answer.headers.get("content-type"), answer.headers.get("x-made-by"), answer.text]).toEqual([
      202,
      "text/csv",
      "script",
      "a,b\n",
    ]);
    expect(answer.headers.get("x-svc-job-id")).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("sends bytes that come as base64", async () => {
    const bytes = Buffer.from([0, 255, 128, 10, 13]);
    const answer = await fetch(`${ws.api.url}/api/w/${ws.id}/jobs/run_wait_result/p/f/t/reply`, {
      method: "POST",
      headers: { authorization: `Bearer ${ws.api.token}` },
      body: JSON.stringify({ result: { svc_content_type: "application/octet-stream", result: { base64: bytes.toString("base64") } } }),
    });
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
  });

  it("7.2 with a status that is none is a 400 naming the job, which stays succeeded", async () => {
    const answer = await reply({ svc_status_code: 99, result: 1 });
    expect([answer.status, answer.headers.get("x-svc-error")]).toEqual([400, "reply.shape"]);
    const id = answer.headers.get("x-svc-job-id") ?? "";
    expect(answer.text).toContain(id);
    expect((await ws.completed(id))["success"]).toBe(true);
  });

  it("7.1 of a script that fails is 200 with its error, unless what it throws shapes it", async () => {
    const plain = await ws.runWait("f/t/refuses", { over: {} });
    expect([plain.status, plain.json]).toEqual([200, { error: expect.objectContaining({ name: "Error", message: "no tea" }) }]);
    const shaped = await ws.runWait("f/t/refuses", { over: { svc_status_code: 418, svc_headers: { "x-tea": "none" } } });
    expect([shaped.status, shaped.headers.get("x-tea"), shaped.json]).toEqual([
      418,
      "none",
      { error: expect.objectContaining({ message: "no tea" }) },
    ]);
    expect((await ws.completed(shaped.headers.get("x-svc-job-id") ?? ""))["success"]).toBe(false);
    const python = await ws.runWait("f/t/refuses_py");
    expect([python.status, python.json]).toEqual([418, { tea: null }]);
  });
});
