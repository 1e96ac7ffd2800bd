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

describe("the body of a webhook (spec 4.2)", () => {
  it("4.2.5 multipart fields are arguments, and files are stored completely", async () => {
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
    expect(found.photo[0]?.s3).toMatch(/^long-lived\/[0-9a-f-]{36}\/[0-9a-f-]{36}\/[^/]+\.png$/);
  });
});

describe("the query of a run route (spec 4.3)", () => {
  /** Returns the arguments that the script received from each kind of run route. */
  async function byEachRoute(query: Record<string, string>): Promise<unknown[]> {
    const sent = { body: '{"a":1}', token: "" };
    const sync = await ws.call("POST", `jobs/run_wait_result/p/${ECHO}`, { ...sent, query });
    const job = expectStatus(await ws.call("POST", `jobs/run/p/${ECHO}`, { ...sent, query }), 201).text;
    const stream = await ws.call("POST", `jobs/run_and_stream/p/${ECHO}`, { ...sent, query });
    const last = stream.text.trim().split("\n").at(-1)?.replace("data: ", "") ?? "";
    return [sync.json, (await ws.completed(job))["result"], (JSON.parse(last) as { only_result: unknown }).only_result];
  }

  it("4.3 every kind of run route supports the caller's token, in place of the header", async () => {
    expect(await byEachRoute({ token: ws.api.token })).toEqual([{ a: 1 }, { a: 1 }, { a: 1 }]);
  });
});

describe("GET webhooks (spec 4.1, 4.3)", () => {
  it("4.3 token is also accepted in the query", async () => {
    const answer = await ws.call("GET", `jobs/run_wait_result/p/${ECHO}`, { token: "", query: { token: ws.api.token } });
    expect(answer.status).toBe(200);
  });
});

describe("synchronous replies (spec 4.4)", () => {
  it("a base64 result is sent as bytes", async () => {
    const bytes = Buffer.from([0, 255, 128, 10, 13]);
    const answer = await fetch(`${ws.api.url}/api/w/${ws.id}/jobs/run_wait_result/p/f/t/reply`, {
      method: "POST",
      headers: { authorization: `Bearer ${ws.api.token}` },
      body: JSON.stringify({ result: { svc_content_type: "application/octet-stream", result: { base64: bytes.toString("base64") } } }),
    });
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
  });

  it("7.1 a failed script returns 200 with its error, unless the thrown value shapes the reply", async () => {
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

const reply = (result: unknown) => ws.runWait("f/t/reply", { result });

describe("shaped replies (spec 4.4)", () => {
  it.each([204, 205, 304])("a reply with status %i has no body, and later calls get their own replies", async (status) => {
    for (let round = 0; round < 3; round += 1) {
      const answers = await Promise.all([reply({ svc_status_code: status, result: { left: "out" } }), reply("next"), reply("other")]);
      expect(answers.map(({ status, text }) => [status, text])).toEqual([
        [status, ""],
        [200, '"next"'],
        [200, '"other"'],
      ]);
      expect(answers[0].headers.get("content-length") ?? "0").toBe("0");
    }
  });

  it("a reply preserves non-ASCII letters in headers, or is rejected", async () => {
    const answer = await reply({ svc_headers: { "x-name": "café" }, result: 1 });
    expect([answer.status, answer.headers.get("x-name")]).toEqual([200, "café"]);
  });
});
