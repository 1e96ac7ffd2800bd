import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { member } from "../../test/support/api/people.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../test/support/api/workspace.ts";
import { type Service, startService } from "../../test/support/use-cases/service.ts";

let service: Service;
let ws: Workspace;
beforeAll(async () => {
  service = await startService(["run", "jobs", "objects", "people"]);
  ws = service.ws;
  await ws.saveScript({ path: PATH, language: "bun", content: version(1) });
});
afterAll(() => service.close());

const PATH = "f/t/one";
const version = (n: number) => `export const main = (a?: unknown, b?: unknown) => ({ version: ${n}, a, b, by: process.env.WM_USERNAME });`;

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

describe("batch_rerun_jobs", () => {
  it("the options of a path select the newest version and override arguments with values and expressions", async () => {
    const id = await ended({ a: { n: 20 }, b: "kept" });
    await ws.saveScript({ path: PATH, language: "bun", content: version(3) });
    const input_transforms = {
      a: { type: "javascript", expr: "job.input.a.n * 2 + 2" },
      c: { type: "static", value: { any: [1] } },
    };
    const [line] = await rerun([id], { script_options_by_path: { [PATH]: { use_latest_version: true, input_transforms } } });
    expect(await ws.completed(line ?? "")).toMatchObject({
      args: { a: 42, b: "kept", c: { any: [1] } },
      result: { version: 3, a: 42, b: "kept" },
    });
    const plain = { a: { type: "javascript", expr: "job.script_path" }, b: { type: "javascript", expr: "job.input.nothing" } };
    const [other] = await rerun([id], { script_options_by_path: { [PATH]: { input_transforms: plain }, "f/t/else": {} } });
    expect(await ws.completed(other ?? "")).toMatchObject({ args: { a: PATH, b: null } });
  });

  it("the line of a job that cannot run again contains the reason, and the others run", async () => {
    const [good, erased, wrong] = [await ended({ a: 1 }), await ended({ a: 2 }), await ended({ a: 3 })];
    expectStatus(await ws.post(`jobs/completed/delete/${erased}`), 200);
    const preview = expectStatus(await ws.post("jobs/run/preview", { language: "bun", content: "" }), 201).text;
    await ws.saveScript({ path: "f/t/gone", language: "bun", content: version(1) });
    const gone = await ws.run("f/t/gone");
    const bad = await ws.run("f/t/gone", { a: 1 });
    await Promise.all([ws.completed(gone), ws.completed(bad)]);
    const missing = randomUUID();
    const options = { "f/t/gone": { input_transforms: { a: { type: "javascript", expr: "job.input.nothing.at.all()" } } } };
    const lines = await rerun([good, erased, preview, missing, bad, wrong], { script_options_by_path: options });
    expect(lines).toEqual([
      expect.stringMatching(/^[0-9a-f-]{36}$/),
      expect.stringMatching(new RegExp(`^Error: The job ${erased} cannot be run again: its arguments were erased`)),
      expect.stringMatching(new RegExp(`^Error: The job ${preview} is of kind preview`)),
      `Error: There is no job ${missing}.`,
      expect.stringMatching(/^Error: The expression for the argument a cannot be evaluated: TypeError/),
      expect.stringMatching(/^[0-9a-f-]{36}$/),
    ]);
    const { hash } = (await ws.get("scripts/get/p/f/t/gone")).json as { hash: string };
    expectStatus(await ws.post(`scripts/delete/h/${hash}`), 200);
    expect(await rerun([gone])).toEqual([`Error: There is no script version ${hash}.`]);
  });

  it("the caller runs the jobs again, and must be allowed to read them and to run the scripts", async () => {
    expectStatus(await ws.post("folders/create", { name: "open", extra_perms: { "g/all": false } }), 201);
    await ws.saveScript({ path: "f/open/one", language: "bun", content: version(1) });
    const mine = await ws.run("f/open/one", { a: 1 });
    const hidden = await ended({ a: 1 });
    const who = await member(ws, "dev");
    const dev = who.in(ws);
    const [line, other] = await rerun([mine, hidden], {}, { at: dev });
    expect(await dev.completed(line ?? "")).toMatchObject({ created_by: who.username, result: { a: 1, by: who.username } });
    expect(other).toBe(`Error: There is no job ${hidden}.`);
    const elsewhere = await newWorkspace(service.api);
    expect(await rerun([mine], {}, { at: elsewhere })).toEqual([`Error: There is no job ${mine}.`]);
  });

  it("a token that may run everything is accepted, and one that may run one script or only read is rejected", async () => {
    const token = async (rights: object) => expectStatus(await ws.api.post("users/tokens/create", { label: "t", ...rights }), 201).text;
    const id = await ended({ a: 1 });
    const call = async (rights: object) => ws.api.as(await token(rights)).post(`w/${ws.id}/jobs/run/batch_rerun_jobs`, { job_ids: [id] });
    expectStatus(await call({ scopes: ["jobs:run"] }), 201);
    expect((await call({ scopes: [`jobs:run:scripts:${PATH}`] })).status).toBe(403);
    expect((await call({ scopes: ["jobs:read"] })).status).toBe(403);
    expect((await call({ read_only: true })).status).toBe(403);
  });

  it("repeated and simultaneous calls with an Idempotency-Key start nothing twice", async () => {
    const ids = [await ended({ a: 1 }), await ended({ a: 2 })];
    const key = randomUUID();
    const [first, ...others] = await Promise.all(Array.from({ length: 5 }, () => rerun(ids, {}, { key })));
    for (const lines of others) expect(lines).toEqual(first);
    expect(await rerun(ids, {}, { key })).toEqual(first);
    const [changed] = await rerun(ids, { script_options_by_path: { [PATH]: { use_latest_version: true } } }, { key });
    expect(changed).toMatch(/^Error: This Idempotency-Key was already used with other arguments/);
  });

  it.each([
    [{}, 422],
    [{ job_ids: ["x"] }, 422],
    [{ job_ids: Array.from({ length: 501 }, () => "00000000-0000-4000-8000-000000000000") }, 422],
    [{ job_ids: [], script_options_by_path: { a: { input_transforms: { x: { type: "magic" } } } } }, 422],
    [{ job_ids: [] }, 201],
  ])("another shape is rejected: %j", async (body, status) => {
    expect((await ws.post("jobs/run/batch_rerun_jobs", body)).status).toBe(status);
  });
});
