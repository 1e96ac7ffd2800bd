import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectStatus, type Workspace } from "../../test/support/api/workspace.ts";
import { type Service, startService } from "../../test/support/use-cases/service.ts";

let service: Service;
let ws: Workspace;
const ECHO = "f/t/echo";

beforeAll(async () => {
  service = await startService(["run", "stream", "jobs", "objects", "people"]);
  ws = service.ws;
  await Promise.all([
    ws.saveScript({ path: ECHO, language: "bun", content: "export function main({ ...all }) { return all; }" }),
    ws.saveScript({ path: "f/t/reply", language: "bun", content: "export function main(result: unknown) { return result; }" }),
  ]);
});
afterAll(() => service.close());

interface Sent {
  type?: string;
  headers?: Record<string, string>;
  query?: Record<string, string>;
}
/** Returns the arguments that a script receives for a body sent to a synchronous webhook. */
async function callWebhook(body: string | Uint8Array, { type, headers = {}, query = {} }: Sent = {}): Promise<unknown> {
  const answer = await ws.call("POST", `jobs/run_wait_result/p/${ECHO}`, {
    body,
    query,
    headers: { "content-type": type ?? "", ...headers },
  });
  return expectStatus(answer, 200).json;
}

describe("the body of a webhook (spec 4.2)", () => {
  it("4.2.1 a body is read by its content: JSON, form, or any other text as raw_string", async () => {
    expect(await callWebhook('{"a":[1,{"b":null}]}', { type: "application/json" })).toEqual({ a: [1, { b: null }] });
    expect(await callWebhook('{"a":1}', { type: "text/plain" })).toEqual({ a: 1 });
    expect(await callWebhook("a=1&a=2&b=%C3%A9", { type: "application/x-www-form-urlencoded" })).toEqual({ a: ["1", "2"], b: "é" });
    expect(await callWebhook("<order/>", { type: "application/xml" })).toEqual({ raw_string: "<order/>" });
  });

  it("4.2.2 each key of an object or a form is an argument of main", async () => {
    const content = "export const main = (name: string, n: number, absent = 'default') => [name, n, absent];";
    await ws.saveScript({ path: "f/t/named", language: "bun", content });
    const run = (body: string, type: string) =>
      ws.call("POST", "jobs/run_wait_result/p/f/t/named", { body, headers: { "content-type": type } });
    expect((await run('{"n":7,"name":"Ada","other":1}', "application/json")).json).toEqual(["Ada", 7, "default"]);
    expect((await run("n=7&name=Ada", "application/x-www-form-urlencoded")).json).toEqual(["Ada", "7", "default"]);
  });

  it("4.2.3 a body that is not an object is passed as body, and wrap_body does this for every body", async () => {
    expect(await callWebhook("[1,2]", { type: "application/json" })).toEqual({ body: [1, 2] });
    expect(await callWebhook('{"a":1}', { type: "application/json", query: { wrap_body: "true" } })).toEqual({ body: { a: 1 } });
  });

  it("4.2.4 raw=true passes the body as it was sent", async () => {
    expect(await callWebhook('{ "a":1 }\n', { query: { raw: "true" } })).toEqual({ a: 1, raw_string: '{ "a":1 }\n' });
  });

  it("4.2.6 include_header passes the named headers as arguments, which override the body", async () => {
    const found = await callWebhook('{"x_signature":"forged"}', {
      headers: { "X-Signature": "real" },
      query: { include_header: "X-Signature,X-Absent" },
    });
    expect(found).toEqual({ x_signature: "real" });
  });

  it("4.2.7 include_query passes the named query parameters as arguments", async () => {
    expect(await callWebhook("{}", { query: { include_query: "source,absent", source: "shop", other: "1" } })).toEqual({ source: "shop" });
  });

  it("4.2.8 CloudEvents are accepted in both modes, and batches are rejected", async () => {
    const ce = { "ce-id": "1", "ce-source": "/s", "ce-type": "t", "ce-specversion": "1.0" };
    const metadata = { id: "1", source: "/s", type: "t", specversion: "1.0" };
    expect(await callWebhook('{"n":1}', { type: "application/json", headers: ce })).toEqual({
      n: 1,
      WEBHOOK__METADATA__: { ...metadata, datacontenttype: "application/json" },
    });
    expect(await callWebhook(JSON.stringify({ ...metadata, data: { n: 2 } }), { type: "application/cloudevents+json" })).toEqual({
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
  ])("%s is rejected with 400 before any run", async (_what, type, body, code) => {
    const id = randomUUID();
    const answer = await ws.call("POST", `jobs/run/p/${ECHO}`, { body, query: { job_id: id }, headers: { "content-type": type } });
    expect([answer.status, answer.headers.get("x-svc-error")]).toEqual([400, code]);
    expect((await ws.get(`jobs_u/get/${id}`)).status).toBe(404);
  });
});

describe("the query of a run route (spec 4.3)", () => {
  /** Returns the arguments that the script received from each kind of run route. */
  async function byEachRoute(query: Record<string, string>): Promise<unknown[]> {
    const sent = { body: '{"a":1}', headers: { "x-one": "1" } };
    const sync = await ws.call("POST", `jobs/run_wait_result/p/${ECHO}`, { ...sent, query });
    const job = expectStatus(await ws.call("POST", `jobs/run/p/${ECHO}`, { ...sent, query }), 201).text;
    const stream = await ws.call("POST", `jobs/run_and_stream/p/${ECHO}`, { ...sent, query });
    const last = stream.text.trim().split("\n").at(-1)?.replace("data: ", "") ?? "";
    return [sync.json, (await ws.completed(job))["result"], (JSON.parse(last) as { only_result: unknown }).only_result];
  }

  it.each<[string, Record<string, string>, unknown]>([
    ["wrap_body", { wrap_body: "true" }, { body: { a: 1 } }],
    ["raw", { raw: "true" }, { a: 1, raw_string: '{"a":1}' }],
    ["include_header", { include_header: "X-One" }, { a: 1, x_one: "1" }],
    ["include_query", { include_query: "b", b: "2" }, { a: 1, b: "2" }],
  ])("4.3 every kind of run route supports %s", async (_what, query, expected) => {
    expect(await byEachRoute(query)).toEqual([expected, expected, expected]);
  });
});

describe("GET webhooks (spec 4.1, 4.3)", () => {
  it("4.3 payload contains the arguments, by path and by hash, in both alphabets", async () => {
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
  it("an invalid payload is rejected with an error that names the cause", async () => {
    const answer = await ws.get(`jobs/run_wait_result/p/${ECHO}`, { payload: "*" });
    expect([answer.status, answer.headers.get("x-svc-error")]).toEqual([400, "payload.base64"]);
  });
});

describe("synchronous replies (spec 4.4)", () => {
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

  it.each(["svc_", "windmill_"])("the fields %sstatus_code, content_type, headers and result work together", async (prefix) => {
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

  it("7.2 an invalid status returns 400 with the job id, and the job is still successful", async () => {
    const answer = await reply({ svc_status_code: 99, result: 1 });
    expect([answer.status, answer.headers.get("x-svc-error")]).toEqual([400, "reply.shape"]);
    const id = answer.headers.get("x-svc-job-id") ?? "";
    expect(answer.text).toContain(id);
    expect((await ws.completed(id))["success"]).toBe(true);
  });
});
