import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answer } from "../../test/support/api/api.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../test/support/api/workspace.ts";
import { type Service, startService } from "../../test/support/use-cases/service.ts";

let service: Service;
let ws: Workspace;
beforeAll(async () => {
  service = await startService(["run", "jobs", "objects", "people"]);
  ws = service.ws;
  await variable("f/t/password", "secret-of-the-database");
  await variable("f/t/plain", "$var:f/t/password", false);
  await resource("f/t/db", { host: "h", password: "$var:f/t/password", nested: [{ again: "$res:f/t/inner" }] });
  await resource("f/t/inner", { text: "$var:f/t/plain", n: 1 });
  await resource("f/t/round", { to: "$res:f/t/trip" });
  await resource("f/t/trip", ["$res:f/t/round"]);
  await resource("f/t/broken", { a: { b: "$var:f/t/nothing_here" } });
  await ws.saveScript({ path: "f/t/echo", language: "bun", content: "export const main = (a: unknown, b?: unknown) => ({ a, b });" });
});
afterAll(() => service.close());

const variable = async (path: string, value: string, is_secret = true) =>
  expectStatus(await ws.post("variables/create", { path, value, is_secret, description: "" }), 201);
const resource = async (path: string, value: unknown, resource_type = "any") =>
  expectStatus(await ws.post("resources/create", { path, value, resource_type }, { update_if_exists: true }), 201);
const interpolated = (path: string) => ws.get(`resources/get_value_interpolated/${path}`);

const DB = { host: "h", password: "secret-of-the-database", nested: [{ again: { text: "$var:f/t/password", n: 1 } }] };

const WRONG = [
  ["a missing variable", "$var:f/t/nothing_here", "$var:f/t/nothing_here"],
  ["a missing resource", "$res:f/t/no_resource", "$res:f/t/no_resource"],
  ["a missing variable inside a resource", "$res:f/t/broken", "$var:f/t/nothing_here"],
  ["resources that name each other", "$res:f/t/round", "$res:f/t/round"],
  ["a path that no path can be", `$var:${"ü".repeat(900)}`, "$var:ü"],
] as const;

describe("get_value_interpolated", () => {
  it("an error names the reference that cannot be resolved, and no value", async () => {
    for (const [path, reference] of [
      ["f/t/broken", "$var:f/t/nothing_here"],
      ["f/t/round", "$res:f/t/"],
    ] as const) {
      const answer = await interpolated(path);
      expect([answer.status, answer.text.includes(reference)]).toEqual([422, true]);
    }
    await resource("f/t/half", { ok: "$var:f/t/password", bad: "$var:f/t/nothing_here" });
    expect((await interpolated("f/t/half")).text).not.toContain("secret-of-the-database");
  });

  it("a value that would expand without limit is rejected", async () => {
    await resource("f/t/grow0", "x".repeat(1000));
    for (let level = 1; level <= 6; level += 1)
      await resource(
        `f/t/grow${level}`,
        Array.from({ length: 10 }, () => `$res:f/t/grow${level - 1}`),
      );
    expect((await interpolated("f/t/grow6")).status).toBe(413);
    for (let level = 0; level < 12; level += 1) await resource(`f/t/chain${level}`, `$res:f/t/chain${level + 1}`);
    await resource("f/t/chain12", 1);
    expect((await interpolated("f/t/chain0")).status).toBe(413);
    expect(expectStatus(await interpolated("f/t/chain6"), 200).json).toBe(1);
  });
});

describe("references in the arguments of a job", () => {
  const args = { a: { deep: ["$res:f/t/db"] }, b: "$var:f/t/password" };
  const expected = { a: { deep: [DB] }, b: "secret-of-the-database" };
  /** The script compares the values itself, because its result is masked for readers. */
  const check = `export const main = (a: unknown, b: unknown) => JSON.stringify({ a, b }) === atob("${btoa(JSON.stringify(expected))}");`;
  beforeAll(async () => {
    await ws.saveScript({ path: "f/t/check", language: "bun", content: check });
  });

  it("the job record contains references as they were sent", async () => {
    const job = await ws.run("f/t/check", args);
    const completed = await ws.completed(job);
    expect(completed["args"]).toEqual(args);
    expect((await ws.get(`jobs_u/get_args/${job}`)).json).toEqual(args);
  });

  it.each(WRONG)("a reference fails the job before its code runs: %s", async (_, reference, named) => {
    const sync: Answer = await ws.runWait("f/t/echo", { a: [reference], b: "$var:f/t/password" });
    const job = sync.headers.get("x-svc-job-id") ?? "";
    expect(sync.json).toEqual({ error: { name: "BadReference", message: expect.stringContaining(named) } });
    expect(sync.text).not.toContain("secret-of-the-database");
    expect(await ws.completed(job)).toMatchObject({ success: false, result: sync.json });
  });

  it("a reference cannot name another workspace", async () => {
    const other = await newWorkspace(service.api);
    expectStatus(
      await other.post("variables/create", { path: "f/t/foreign", value: "foreign value", is_secret: true, description: "" }),
      201,
    );
    const answer = await ws.runWait("f/t/echo", { a: "$var:f/t/foreign" });
    expect(answer.json).toMatchObject({ error: { name: "BadReference" } });
    expect(answer.text).not.toContain("foreign value");
  });
});
