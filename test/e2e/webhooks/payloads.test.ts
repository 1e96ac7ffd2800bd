import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { newWorkspace, type Workspace } from "../../support/api/workspace.ts";

let ws: Workspace;
const ECHO = "f/t/echo";

beforeAll(async () => {
  ws = await newWorkspace();
  await ws.saveScript({ path: ECHO, language: "bun", content: "export function main({ ...all }) { return all; }" });
});

interface Sent {
  body: Uint8Array | string | FormData;
  type?: string;
  headers?: Record<string, string>;
  query?: Record<string, string>;
}
/** Returns the arguments that a script receives for a body sent to a synchronous webhook. */
async function callWebhook({ body, type, headers = {}, query = {} }: Sent): Promise<Record<string, unknown>> {
  const answer = await fetch(`${ws.api.url}/api/w/${ws.id}/jobs/run_wait_result/p/${ECHO}?${new URLSearchParams(query)}`, {
    method: "POST",
    headers: { authorization: `Bearer ${ws.api.token}`, ...(type ? { "content-type": type } : {}), ...headers },
    body,
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${answer.status} ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
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
    const answer = await fetch(`${ws.api.url}/api/w/${ws.id}/jobs/run_wait_result/p/${ECHO}`, {
      method: "POST",
      headers: { authorization: `Bearer ${ws.api.token}`, "content-encoding": "zstd" },
      body: "{}",
    });
    expect([answer.status, answer.headers.get("accept-encoding"), answer.headers.get("x-svc-error")]).toEqual([
      415,
      "gzip, deflate, br",
      "body.encoding",
    ]);
  });
});

describe("file bytes (api.md 2.7)", () => {
  it("files without a content type arrive unchanged", async () => {
    const bytes = Uint8Array.from({ length: 5000 }, (_, at) => (at * 7) % 256);
    const sent = await fetch(`${ws.api.url}/api/w/${ws.id}/job_helpers/upload_s3_file`, {
      method: "POST",
      headers: { authorization: `Bearer ${ws.api.token}` },
      body: bytes,
    });
    const { file_key } = (await sent.json()) as { file_key: string };
    const back = await fetch(`${ws.api.url}/api/w/${ws.id}/job_helpers/download_s3_file?${new URLSearchParams({ file_key })}`, {
      headers: { authorization: `Bearer ${ws.api.token}` },
    });
    expect(Buffer.from(await back.arrayBuffer()).equals(bytes)).toBe(true);
  });
});
