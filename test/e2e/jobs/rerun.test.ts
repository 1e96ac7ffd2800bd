import { beforeAll, describe, expect, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { until } from "../../support/until.ts";

let ws: Workspace;
const PATH = "f/t/one";
const version = (n: number) => `export const main = (a?: unknown, b?: unknown) => ({ version: ${n}, a, b, by: process.env.WM_USERNAME });`;

beforeAll(async () => {
  ws = await newWorkspace();
  await ws.saveScript({ path: PATH, language: "bun", content: version(1) });
});

const ended = async (args: object, at = ws) => {
  const id = await at.run(PATH, args);
  await at.completed(id);
  return id;
};

interface Options {
  script_options_by_path?: object;
  flow_options_by_path?: object;
}

async function rerun(job_ids: string[], options: Options = {}, { at = ws, key = "" } = {}): Promise<string[]> {
  const answer = await at.call("POST", "jobs/run/batch_rerun_jobs", {
    body: { job_ids, script_options_by_path: {}, flow_options_by_path: {}, ...options },
    headers: key ? { "idempotency-key": key } : {},
  });
  const { text, headers } = expectStatus(answer, 201);
  expect(headers.get("content-type")).toContain("text/plain");
  expect(text.endsWith("\n") || text === "").toBe(true);
  return text.split("\n").slice(0, -1);
}

const resultOf = async (id: string | undefined, at = ws) => (await at.completed(id ?? ""))["result"];

describe("batch_rerun_jobs", () => {
  it("each job runs again with its arguments and its version, and the reply has a line for each in their order", async () => {
    const large = "x".repeat(20_000);
    const ids = [await ended({ a: 1 }), await ended({ a: large }), await ended({ a: { deep: [null] } })];
    await ws.saveScript({ path: PATH, language: "bun", content: version(2) });
    const lines = await rerun([...ids, ids[0] ?? ""]);
    expect(new Set([...lines, ...ids]).size).toBe(7);
    const results = await Promise.all(lines.map((line) => resultOf(line)));
    expect(results.map((result) => (result as { a: unknown }).a)).toEqual([1, large, { deep: [null] }, 1]);
    expect(results).toEqual(results.map(() => expect.objectContaining({ version: 1 })));
  });
});

describe("jobs/bulk", () => {
  const bulk = async (body: object) => (expectStatus(await ws.post("jobs/bulk", body), 201).json as { bulk_id: string }).bulk_id;
  const done = (id: string) =>
    until(
      async () => {
        const { json } = expectStatus(await ws.get(`jobs/bulk/${id}`), 200);
        return (json as { state: string }).state === "done" ? json : undefined;
      },
      { timeoutMs: 60_000, what: `the bulk action ${id}` },
    );

  it("a worker runs the jobs that match again, cancels the waiting ones, and stops their flows", async () => {
    await ended({ a: 1 });
    const filter = { script_path_exact: PATH, job_kinds: "script", success: true };
    const { total } = (await done(await bulk({ action: "rerun", filter, args: { b: 7 } }))) as { total: number };
    expect(total).toBeGreaterThan(0);
    const modules = [{ id: "ask", value: { type: "identity" }, suspend: { required_events: 1 } }];
    const flow = expectStatus(await ws.post("jobs/run/preview_flow", { value: { modules } }), 201).text;
    const waiting = await ws.run(PATH, {}, { scheduled_in_secs: 3600 });
    expect(await done(await bulk({ action: "cancel", ids: [flow, waiting] }))).toMatchObject({ done: 2, failed: 0 });
    for (const id of [flow, waiting]) expect(await ws.completed(id)).toMatchObject({ canceled: true });
  });

  it("a link shows a run without a token, and a saved input has its arguments", async () => {
    const id = await ended({ a: 5 });
    const { url } = expectStatus(await ws.post(`jobs/share/${id}`, { expires_in_s: 60 }), 200).json as { url: string };
    const shown = await fetch(url.replace("/share/", "/api/share/"));
    expect([shown.status, shown.headers.get("x-robots-tag"), shown.headers.get("cache-control")]).toEqual([200, "noindex", "no-store"]);
    expect(await shown.json()).toMatchObject({ state: "succeeded", result: { a: 5 } });
    const query = { runnable_id: PATH, runnable_type: "ScriptPath" };
    const input = expectStatus(await ws.post("inputs/create", { name: "five", args: { a: 5 } }, query), 201).text;
    expect((await ws.get(`inputs/${input}/args`, { input: true })).json).toEqual({ a: 5 });
  });
});
