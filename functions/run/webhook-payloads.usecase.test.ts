import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import type { Context } from "aws-lambda";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { StoredObject } from "../../core/objects/write.ts";
import { scriptHeadObject } from "../../core/scripts/version.ts";
import { refused } from "../../test/support/api/refusal.ts";
import { toGatewayEvent } from "../../test/support/fuzz/gateway-event.ts";
import { success, type World } from "../../test/support/use-cases/world.ts";
import { addScript, newScriptWorld } from "../../test/support/use-cases/world-jobs.ts";
import { anAdmin } from "../../test/support/use-cases/world-people.ts";
import { apiHandler } from "../shared/edge/edge.ts";
import { webhookRoutes } from "./webhooks.ts";

let world: World;
let head: StoredObject;
let path: string;
beforeAll(async () => {
  ({ world } = await newScriptWorld());
  const { build, ...value } = await addScript(world, { params: null });
  path = value.path;
  head = { ...scriptHeadObject.key(world.workspace, path), value, build } as StoredObject;
  await world.deps.objects.put(head);
});
beforeEach(() => {
  // The script returns its arguments.
  world.answers.run = async ({ args }) => success(args);
});

interface Sent {
  body: Uint8Array | string | FormData;
  type?: string;
  headers?: Record<string, string>;
  query?: Record<string, string>;
}
/** Calls the synchronous webhook of a script, as `fetch` would send the body. */
async function call({ body, type, headers = {}, query = {} }: Sent) {
  const request = new Request("http://svc.test", {
    method: "POST",
    headers: { ...(type ? { "content-type": type } : {}), ...headers },
    body,
  });
  const event = toGatewayEvent({
    method: "POST",
    path: `/api/w/${world.workspace}/jobs/run_wait_result/p/${path}`,
    headers: [...request.headers],
    query: Object.entries(query),
    body: Buffer.from(await request.arrayBuffer()),
  });
  const handler = apiHandler(webhookRoutes({ ...world.deps, syncLimitMs: async () => 10_000 }), async () => ({ actor: anAdmin, head }));
  const reply = await handler(event, { awsRequestId: "r" } as Context);
  const answerHeaders = new Headers(reply.headers as Record<string, string>);
  return { status: reply.statusCode, headers: answerHeaders, text: reply.body, json: undefined };
}
/** Returns the arguments that a script receives for a body sent to a synchronous webhook. */
async function callWebhook(sent: Sent): Promise<unknown> {
  const { status, text } = await call(sent);
  if (status !== 200) throw new Error(`${status} ${text}`);
  return JSON.parse(text);
}
const stored = (filename: string) => expect.objectContaining({ s3: expect.stringMatching(/^long-lived\//), filename });

describe("multipart webhooks (spec 4.2.5)", () => {
  it("wrap_body puts files under body, beside the fields", async () => {
    const form = new FormData();
    form.append("title", "photos");
    form.append("photo", new Blob(["one"]), "one.txt");
    const found = await callWebhook({ body: form, query: { wrap_body: "true" } });
    expect(found).toEqual({ body: { title: "photos", photo: [stored("one.txt")] } });
  });

  it("a form file cannot replace a selected header", async () => {
    const form = new FormData();
    form.append("x_signature", new Blob(["forged"]), "forged.txt");
    const found = await callWebhook({ body: form, headers: { "x-signature": "real" }, query: { include_header: "X-Signature" } });
    expect(found).toEqual({ x_signature: "real" });
  });

  it("a text field and a file of the same name are both arguments", async () => {
    const form = new FormData();
    form.append("doc", "see below");
    form.append("doc", new Blob(["one"]), "one.txt");
    expect(await callWebhook({ body: form })).toEqual({ doc: ["see below", stored("one.txt")] });
  });
});

describe("webhook texts (spec 4.2.1)", () => {
  it("a text with a byte order mark is read as JSON, and raw=true returns it as it was sent", async () => {
    const body = '\ufeff{"a":1}';
    expect(await callWebhook({ body, type: "application/json", query: { raw: "true" } })).toEqual({ a: 1, raw_string: body });
  });

  it("a text is read in the charset of its type, or in UTF-8 if the charset is missing or unknown", async () => {
    const latin1 = (text: string) => Buffer.from(text, "latin1");
    expect(await callWebhook({ body: latin1("<a>é</a>"), type: "text/xml; charset=ISO-8859-1" })).toEqual({ raw_string: "<a>é</a>" });
    expect(await callWebhook({ body: latin1('{"a":"é"}'), type: 'application/json; charset="latin1"' })).toEqual({ a: "é" });
    expect(await callWebhook({ body: latin1("a=é"), type: "application/x-www-form-urlencoded;charset=windows-1252" })).toEqual({ a: "é" });
    expect(await callWebhook({ body: '{"a":"é"}', type: "application/json; charset=klingon" })).toEqual({ a: "é" });
  });
});

describe("compressed webhooks", () => {
  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ])("a body in %s is decoded, whatever its type is", async (encoding, encode) => {
    const headers = { "content-encoding": encoding };
    expect(await callWebhook({ body: encode('{"a":"é"}'), type: "application/json", headers })).toEqual({ a: "é" });
    expect(await callWebhook({ body: encode("a=1"), type: "application/x-www-form-urlencoded", headers })).toEqual({ a: "1" });
    expect(await callWebhook({ body: encode("[1]"), headers, query: { wrap_body: "true" } })).toEqual({ body: [1] });
  });

  it("another encoding is refused with the supported ones", async () => {
    const answer = await call({ body: "{}", headers: { "content-encoding": "zstd" } });
    expect([answer.status, answer.headers.get("accept-encoding"), answer.headers.get("x-svc-error")]).toEqual([
      415,
      "gzip, deflate, br",
      "body.encoding",
    ]);
  });
});

describe("unusual webhook calls", () => {
  const JSON_TYPE = "application/json";

  it("a body that is not UTF-8 becomes raw_string", async () => {
    expect(await callWebhook({ body: Uint8Array.of(0x7b, 0xff, 0xfe, 0x00), type: JSON_TYPE })).toEqual({
      raw_string: "{\ufffd\ufffd\u0000",
    });
  });

  it("a body with 100,000 keys as JSON, or 10,000 as a form, is accepted", async () => {
    world.answers.run = async ({ args }) => success(Object.keys(args).length);
    const keys = Array.from({ length: 100_000 }, (_, at) => `k${at}`);
    expect(await callWebhook({ body: JSON.stringify(Object.fromEntries(keys.map((key) => [key, 1]))), type: JSON_TYPE })).toBe(100_000);
    // core/payload/arguments.test.ts reads a form of 100,000.
    const form = keys.slice(0, 10_000).map((key) => `${key}=1`);
    expect(await callWebhook({ body: form.join("&"), type: "application/x-www-form-urlencoded" })).toBe(10_000);
  });

  it("form fields named like parts of every object are stored as data", async () => {
    const named = ["__proto__", "constructor"].map((name) => `--cut\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n1\r\n`);
    const found = await callWebhook({ body: `${named.join("")}--cut--\r\n`, type: "multipart/form-data; boundary=cut" });
    expect(Object.entries(found as object)).toEqual([
      ["__proto__", "1"],
      ["constructor", "1"],
    ]);
  });

  it("a call that selects headers and query parameters that are absent, empty or named like parts of every object gets none of them", async () => {
    const query = { include_header: "X-Absent,,__proto__, constructor ,toString", include_query: "absent,,__proto__,constructor,toString" };
    expect(await callWebhook({ body: '{"n":1}', type: JSON_TYPE, query })).toEqual({ n: 1 });
  });
});

describe("invalid shaped replies", () => {
  it.each<[string, object]>([
    ["in two ways at once", { svc_status_code: 200, windmill_status_code: 201 }],
    ["in two ways, by different keys", { svc_status_code: 200, windmill_headers: {} }],
    ["with invalid base64", { svc_content_type: "image/png", result: { base64: "not base64!" } }],
    ["with a line break in a header", { svc_headers: { "x-a": "a\r\nx-b: b" } }],
  ])("a reply shaped %s returns 400 with the job id, and the job is unchanged", async (_what, result) => {
    world.answers.run = async () => success(result);
    const answer = await call({ body: "{}", type: "application/json" });
    const id = answer.headers.get("x-svc-job-id") ?? "";
    expect(refused(answer)).toMatchObject({ status: 400, code: "reply.shape", text: expect.stringContaining(id) });
    expect((await world.deps.jobs.get(id))?.state).toBe("succeeded");
  });
});
