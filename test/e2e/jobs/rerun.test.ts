import { beforeAll, describe, expect, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";

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
