import { beforeAll, describe, expect, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";

let ws: Workspace;
const typescript = `export async function preprocessor(event) {
  if (event.query.fail) throw Object.assign(new TypeError("bad signature"), { svc_status_code: 401, result: "no" });
  return { n: event.body.n * 2, raw: event.raw_string, event: event.headers["x-event"], kind: event.kind };
}
export function main(n, raw, event, kind) { return { n, raw, event, kind }; }`;
const python = `def preprocessor(event):
    return {"n": event["body"]["n"] * 2, "raw": event["raw_string"], "event": event["headers"]["x-event"], "kind": event["kind"]}

def main(n: int, raw: str, event: str, kind: str):
    return {"n": n, "raw": raw, "event": event, "kind": kind}
`;

beforeAll(async () => {
  ws = await newWorkspace();
  await Promise.all([
    ws.saveScript({ path: "f/t/bun", language: "bun", content: typescript }),
    ws.saveScript({ path: "f/t/deno", language: "deno", content: typescript }),
    ws.saveScript({ path: "f/t/nodejs", language: "nodejs", content: typescript }),
    ws.saveScript({ path: "f/t/python3", language: "python3", content: python }),
    ws.saveScript({
      path: "f/t/all",
      language: "bun",
      content: "export const preprocessor = (event) => ({ event }); export const main = (event) => event;",
    }),
  ]);
});

const made = { n: 14, raw: '{"n":7}', event: "push", kind: "webhook" };
const headers = { "x-event": "push" };
const call = (method: string, route: string, query = {}, body: unknown = '{"n":7}') =>
  ws.call(method, route, { headers, query, ...(method === "GET" ? {} : { body }) });
const payload = Buffer.from('{"n":7}').toString("base64url");

describe("preprocessors (api.md 2.1, 2.3)", () => {
  it.each(["bun", "deno", "nodejs", "python3"])(
    "a preprocessor in %s returns the arguments of main, which become the job's arguments",
    async (language) => {
      const answer = expectStatus(await call("POST", `jobs/run_wait_result/p/f/t/${language}`), 200);
      expect(answer.json).toEqual(made);
      const job = await ws.completed(answer.headers.get("x-svc-job-id") ?? "");
      expect(job).toMatchObject({ args: made, preprocessed: true, success: true });
    },
  );

  it("the script record names its preprocessor", async () => {
    expect((await ws.get("scripts/get/p/f/t/bun")).json).toMatchObject({ has_preprocessor: true });
    const listed = (await ws.get("scripts/list", { path_exact: "f/t/python3" })).json as object[];
    expect(listed).toMatchObject([{ has_preprocessor: true }]);
  });

  it("a preprocessor runs first on every run route: by path and hash, queued, waited for, streamed, and by GET", async () => {
    const { hash } = (await ws.get("scripts/get/p/f/t/bun")).json as { hash: string };
    for (const target of ["p/f/t/bun", `h/${hash}`]) {
      const job = expectStatus(await call("POST", `jobs/run/${target}`), 201).text;
      expect(await ws.completed(job)).toMatchObject({ result: made, args: made, preprocessed: true });
      expect((await call("POST", `jobs/run_wait_result/${target}`)).json).toEqual(made);
      expect((await call("GET", `jobs/run_wait_result/${target}`, { payload })).json).toEqual({ ...made, raw: "" });
      expect((await call("POST", `jobs/run_and_stream/${target}`)).text).toContain('"n":14');
      expect((await call("GET", `jobs/run_and_stream/${target}`, { payload })).text).toContain('"n":14');
    }
  });

  it("skip_preprocessor skips the preprocessor, and test runs and previews do not use it", async () => {
    const answer = await call("POST", "jobs/run_wait_result/p/f/t/bun", { skip_preprocessor: true });
    expect(answer.json).toEqual({ n: 7 });
    const job = await ws.completed(answer.headers.get("x-svc-job-id") ?? "");
    expect(job).toMatchObject({ args: { n: 7 } });
    expect(job).not.toHaveProperty("preprocessed");
    const preview = await ws.post("jobs/run_wait_result/preview", { language: "bun", content: typescript, args: { n: 7 } });
    expect(preview.json).toEqual({ n: 7 });
  });

  it("a call from a running job skips the preprocessor, because its arguments are for main", async () => {
    await ws.saveScript({
      path: "f/t/caller",
      language: "bun",
      content: `export async function main() {
        const { BASE_INTERNAL_URL: base, OV_WORKSPACE: ws, OV_TOKEN: token } = process.env;
        const answer = await fetch(\`\${base}/api/w/\${ws}/jobs/run_wait_result/p/f/t/bun\`, { method: "POST", body: '{"n":7}', headers: { authorization: "Bearer " + token } });
        return answer.json();
      }`,
    });
    expect((await ws.runWait("f/t/caller")).json).toEqual({ n: 7 });
  });

  it("a preprocessor that throws fails the job with its error and may shape the reply; main does not run", async () => {
    const answer = await call("POST", "jobs/run_wait_result/p/f/t/bun", { fail: 1 });
    expect([answer.status, answer.text]).toEqual([401, '"no"']);
    const job = await ws.completed(answer.headers.get("x-svc-job-id") ?? "");
    expect(job).toMatchObject({ success: false, preprocessed: false, result: { error: { name: "TypeError" } } });
    expect(JSON.stringify(job["result"])).toContain("The preprocessor failed: bad signature");
  });

  it("neither the preprocessor nor the job record contains the caller's token", async () => {
    const answer = await call("POST", "jobs/run_wait_result/p/f/t/all", { token: ws.api.token, a: "b" });
    expect(answer.text).not.toContain(ws.api.token);
    expect(answer.json).toMatchObject({ query: { a: "b" }, body: { n: 7 }, headers: { "x-event": "push" } });
    const job = await ws.get(`jobs_u/get/${answer.headers.get("x-svc-job-id")}`);
    expect(job.text).not.toContain(ws.api.token);
  });

  it("a preprocessor receives its other arguments with resolved references and the unchanged event; readers see the secret masked", async () => {
    const secret = "a-long-planted-secret";
    expectStatus(await ws.post("variables/create", { path: "f/t/key", value: secret, is_secret: true, description: "" }), 201);
    await ws.saveScript({
      path: "f/t/signed",
      language: "python3",
      content:
        "def preprocessor(event, key):\n    return {'raw': event['body']['key'], 'key': key}\n\ndef main(raw, key):\n    return {'raw': raw, 'length': len(key)}\n",
    });
    const answer = await call("POST", "jobs/run_wait_result/p/f/t/signed", {}, { key: "$var:f/t/key" });
    expect(answer.json).toEqual({ raw: "$var:f/t/key", length: secret.length });
    const job = await ws.get(`jobs_u/get/${answer.headers.get("x-svc-job-id")}`);
    expect(job.text).not.toContain(secret);
    expect(job.json).toMatchObject({ preprocessed: true, args: { raw: "\\$var:f/t/key", key: "*".repeat(secret.length) } });
  });

  it("a preprocessor receives the files of a form as main does", async () => {
    const form = new FormData();
    form.append("doc", new Blob(["bytes"]), "d.txt");
    form.append("n", "1");
    const answer = await fetch(`${ws.api.url}/api/w/${ws.id}/jobs/run_wait_result/p/f/t/all`, {
      method: "POST",
      headers: { authorization: `Bearer ${ws.api.token}` },
      body: form,
    });
    expect(await answer.json()).toMatchObject({ raw_string: null, body: { n: "1", doc: [{ filename: "d.txt", size: 5 }] } });
  });

  it("a preprocessor receives and returns large values", async () => {
    const text = "x".repeat(1_500_000);
    const answer = expectStatus(await call("POST", "jobs/run_wait_result/p/f/t/all", {}, JSON.stringify({ text })), 200);
    expect((answer.json as { body: unknown }).body).toEqual({ text });
    const job = await ws.completed(answer.headers.get("x-svc-job-id") ?? "");
    expect((job["args"] as { event: { body: unknown } }).event.body).toEqual({ text });
  });

  it("a preprocessor runs again for another Idempotency-Key, and once for a repeated one", async () => {
    const again = (key: string) =>
      ws.call("POST", "jobs/run/p/f/t/bun", {
        body: '{"n":7}',
        headers: { ...headers, "idempotency-key": key, "x-trace": crypto.randomUUID() },
      });
    const [first, second, other] = [await again("a"), await again("a"), await again("b")];
    expect(second.text).toBe(first.text);
    expect(other.text).not.toBe(first.text);
    expect(await ws.completed(first.text)).toMatchObject({ result: made });
  });
});
