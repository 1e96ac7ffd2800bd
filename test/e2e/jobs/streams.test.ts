import { beforeAll, describe, expect, it } from "vitest";
import { api } from "../../support/api/api.ts";
import { type EventOptions, eventsOf, streamOf } from "../../support/api/events.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { startWitness } from "../../support/jobs/witness.ts";

let ws: Workspace;
const TS = `export async function* main(n = 3, ms = 0) {
  for (let i = 0; i < n; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, ms));
    yield "piece " + i + "\\n";
  }
}`;
const PY = `import time


def main(n=3, ms=0):
    for i in range(n):
        time.sleep(ms / 1000)
        yield f"piece {i}\\n"
`;
const languages = ["bun", "deno", "nodejs", "python3"] as const;
const WHOLE = "piece 0\npiece 1\npiece 2\n";

beforeAll(async () => {
  ws = await newWorkspace();
  await Promise.all([
    ...languages.map((language) => ws.saveScript({ path: `f/t/${language}`, language, content: language === "python3" ? PY : TS })),
    ws.saveScript({
      path: "f/t/both",
      language: "bun",
      content: `export function main() { console.log("WM_STREAM: a\\\\nb"); console.log("plain"); return { n: 1 }; }`,
    }),
    ws.saveScript({ path: "f/t/plain", language: "bun", content: "export function main(v: unknown) { return v; }" }),
    ws.saveScript({
      path: "f/t/key",
      language: "bun",
      content: `export function main(x_svc_engine_key: string, x_forwarded_proto: string) {
        return { key: x_svc_engine_key ?? null, proto: x_forwarded_proto };
      }`,
    }),
    ws.saveScript({
      path: "f/t/fails",
      language: "bun",
      content: `export async function* main() { yield "one"; throw new Error("two"); }`,
    }),
  ]);
});

const events = (route: string, options?: EventOptions) => eventsOf(ws, route, options);
const run = (path: string, options: EventOptions = {}) => events(`jobs/run_and_stream/p/${path}`, { method: "POST", body: {}, ...options });

describe("run_and_stream (spec 4.5)", () => {
  it.each(languages)(
    "4.5 progress and completion updates give what a generator in %s yields, and the complete stream as only_result",
    async (language) => {
      const found = await run(`f/t/${language}`);
      expect(streamOf(found)).toBe(WHOLE);
      const last = found.at(-1)?.data;
      expect(last).toMatchObject({ type: "update", completed: true, only_result: WHOLE });
      expect(found.every(({ data }) => data["type"] === "update")).toBe(true);
      expect(found.filter(({ data }) => data["new_result_stream"]).every(({ id, data }) => data["stream_offset"] === id)).toBe(true);
    },
  );

  it("4.5 a progress update arrives for each chunk while the script continues", async () => {
    const found = await run("f/t/bun", { body: { n: 4, ms: 600 } });
    const withPieces = found.filter(({ data }) => data["new_result_stream"]);
    expect(withPieces.length).toBeGreaterThanOrEqual(3);
    expect(withPieces[0]?.data["completed"]).toBeUndefined();
  });

  it("4.5 a completion update's only_result is the object that was returned, with the complete stream in wm_stream", async () => {
    const found = await run("f/t/both");
    expect(found.at(-1)?.data).toMatchObject({ completed: true, only_result: { n: 1, wm_stream: "a\nb" } });
  });

  it("a result without a stream is returned, and a failure follows the earlier chunks", async () => {
    expect((await run("f/t/plain", { body: { v: [1, "é"] } })).at(-1)?.data["only_result"]).toEqual([1, "é"]);
    const failed = await run("f/t/fails");
    expect(streamOf(failed)).toBe("one");
    expect(failed.at(-1)?.data["only_result"]).toMatchObject({ error: { message: "two" }, wm_stream: "one" });
  });

  it("a script receives no key of the engine by asking for its header", async () => {
    const found = await run("f/t/key", { query: { include_header: "x-svc-engine-key,x-forwarded-proto" } });
    expect(found.at(-1)?.data["only_result"]).toEqual({ key: null, proto: "http" });
  });

  it("the route accepts GET with a payload, and one exact version by hash", async () => {
    const { hash } = (await ws.get("scripts/get/p/f/t/bun")).json as { hash: string };
    const payload = Buffer.from(JSON.stringify({ n: 1 })).toString("base64url");
    const found = await events(`jobs/run_and_stream/h/${hash}`, { query: { payload } });
    expect(found.at(-1)?.data["only_result"]).toBe("piece 0\n");
  });

  it("a reader that was disconnected continues without loss, by Last-Event-ID or stream_offset", async () => {
    const answer = ws.run("f/t/bun", { n: 5, ms: 400 });
    const job = await answer;
    const before = await events(`jobs_u/getupdate_sse/${job}`, { query: { only_result: "true", fast: "true" }, most: 2 });
    const reached = before.at(-1)?.id ?? 0;
    for (const more of [{ headers: { "last-event-id": String(reached) } }, { query: { stream_offset: String(reached) } }]) {
      const after = await events(`jobs_u/getupdate_sse/${job}`, { ...more, query: { only_result: "true", ...more.query } });
      expect(streamOf(before) + streamOf(after)).toBe([0, 1, 2, 3, 4].map((i) => `piece ${i}\n`).join(""));
    }
  });

  it("a missing script, a missing token and an invalid body return the usual errors", async () => {
    const at = (path: string) => `jobs/run_and_stream/p/${path}`;
    const missing = await ws.call("POST", at("f/t/nothing"), { body: {} });
    expect([missing.status, missing.headers.get("x-svc-error")]).toEqual([404, "script.notFound"]);
    expect((await ws.call("POST", at("f/t/bun"), { body: {}, token: "" })).status).toBe(401);
    const form = await ws.call("POST", at("f/t/bun"), { body: "x", headers: { "content-type": "multipart/form-data" } });
    expect(form.headers.get("x-svc-error")).toBe("payload.form");
  });
});

describe("getupdate_sse (spec 4.1, 4.5)", () => {
  it("4.3 fast: the stream contains output and states of a job until its end, in both spellings, with poll_delay_ms too", async () => {
    for (const spelling of ["job_u", "jobs_u"]) {
      const job = await ws.run("f/t/both");
      const found = await events(`${spelling}/getupdate_sse/${job}`, { query: { fast: "true", poll_delay_ms: "60" } });
      const logs = found.map(({ data }) => data["new_logs"] ?? "").join("");
      expect(logs).toContain("plain");
      expect(found.at(-1)?.data).toMatchObject({ type: "update", completed: true, job: { id: job, type: "CompletedJob", success: true } });
    }
  });

  it("the stream contains only news after log_offset", async () => {
    const job = await ws.run("f/t/both");
    await ws.completed(job);
    const [only] = await events(`jobs_u/getupdate_sse/${job}`, { query: { log_offset: "17" } });
    const whole = expectStatus(await ws.get(`jobs_u/get_logs/${job}`), 200).text;
    expect(only?.data["new_logs"]).toBe(whole.slice(17));
  });

  it("a job of another workspace returns 404", async () => {
    const other = await newWorkspace(api());
    const job = await ws.run("f/t/plain", { v: 1 });
    expect((await other.get(`jobs_u/getupdate_sse/${job}`)).status).toBe(404);
  });

  it("the job continues to its own end after its reader disconnects, and nothing else remains running", async () => {
    const witness = await startWitness();
    await ws.saveScript({
      path: "f/t/tells",
      language: "bun",
      content: `export async function* main(url: string) {
        yield "started";
        while ((await (await fetch(url + "/asked?of=disconnected")).text()) === "0") await Bun.sleep(50);
        await fetch(url + "/ended");
        yield "ended";
      }`,
    });
    const [first] = await run("f/t/tells", { body: { url: witness.url }, most: 1 });
    expect(first?.data["new_result_stream"]).toBe("started");
    await fetch(`${witness.url}/disconnected`);
    await witness.waitForReport("ended");
    await witness.close();
  });
});
