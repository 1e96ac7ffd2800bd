import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { api } from "../support/api.ts";
import { invoke } from "../support/aws.ts";
import { flow, saveFlow } from "../support/flow.ts";
import { startTestInstance, type TestInstance } from "../support/instances.ts";
import { member } from "../support/people.ts";
import { until } from "../support/until.ts";
import { startWitness, type Witness } from "../support/witness.ts";
import { expectStatus, newWorkspace, type Workspace } from "../support/workspace.ts";

/** Clocks are moved here, so this file has an instance of its own. */
let instance: TestInstance;
let ws: Workspace;
let witness: Witness;
beforeAll(async () => {
  [instance, witness] = await Promise.all([startTestInstance(), startWitness()]);
  ws = await newWorkspace(api({ url: instance.url, token: instance.admin.token }));
});
afterAll(async () => {
  await witness?.close();
  await instance?.stop();
});

const { step } = flow;
type Job = Record<string, unknown>;
const start = async (path: string, args: object = {}) => expectStatus(await ws.post(`jobs/run/f/${path}`, args), 201).text;
const ended = async (path: string, args: object = {}) => ws.completed(await start(path, args));
const stepsOf = async (id: unknown) => (await ws.get("jobs/list", { parent_job: String(id), order_desc: false })).json as Job[];
const nested = (id: string, path: string, more: object = {}) => ({ id, value: { type: "flow", path, input_transforms: {} }, ...more });
const sleeps = (seconds: number) => ({ sleep: { type: "static", value: seconds } });
/** A step that tells when it begins and when it has ended, so many seconds later. */
const telling = (id: string, what: string, seconds = 0, more: object = {}) =>
  flow.script(
    id,
    `export async function main(url: string, what: string, seconds: number) {
      await fetch(url + "/" + what);
      await Bun.sleep(seconds * 1000);
      await fetch(url + "/" + what + "-ended");
      return what;
    }`,
    { url: `"${witness.url}"`, what: `"${what}"`, seconds: String(seconds) },
    more,
  );
const told = (what: string) => witness.told.filter((each) => each.what === what).length;
/** Housekeeping as it would be done that many seconds from now. */
const housekeep = (inS = 0) => invoke("HousekeepingFunction", { nowMs: Date.now() + inS * 1000 }, instance);
const timedOut = { success: false, canceled: false, result: { error: { name: "TimeoutError" } } };

describe("a flow's timeout", () => {
  it("fails the flow while a script of it runs, which is stopped; neither what follows nor the failure module begins", async () => {
    const failure_module = { ...telling("failure", "mended"), id: "failure" };
    await saveFlow(ws, "f/t/late", { modules: [telling("a", "late-a", 100), telling("b", "late-b")], failure_module }, { timeout: 3 });
    const job = await ended("f/t/late");
    expect(job).toMatchObject(timedOut);
    expect((job["result"] as { error: { message: string } }).error.message).toContain("3 s");
    const steps = await stepsOf(job["id"]);
    expect(steps).toHaveLength(1);
    expect(await ws.completed(String(steps[0]?.["id"]))).toMatchObject({ success: false });
    expect([told("late-a"), told("late-a-ended"), told("late-b"), told("mended")]).toEqual([1, 0, 0, 0]);
  });

  it("fails it while it sleeps, and between two attempts", async () => {
    await saveFlow(ws, "f/t/sleeping", [step("a", "1", sleeps(600)), telling("b", "slept")], { timeout: 2 });
    const again = { retry: { constant: { attempts: 3, seconds: 600 } } };
    await saveFlow(ws, "f/t/trying", [flow.fail("a", "'no'", again)], { timeout: 2 });
    expect(await ended("f/t/sleeping")).toMatchObject(timedOut);
    expect(await ended("f/t/trying")).toMatchObject(timedOut);
    expect(told("slept")).toBe(0);
  });

  it("fails it while it waits for a flow inside, which ends with it", async () => {
    await saveFlow(ws, "f/t/inner", [step("a", "1", sleeps(600)), telling("b", "inside")]);
    await saveFlow(ws, "f/t/outer", [nested("n", "f/t/inner"), telling("z", "outside")], { timeout: 3 });
    const job = await ended("f/t/outer");
    expect(job).toMatchObject(timedOut);
    const [inner] = await stepsOf(job["id"]);
    expect(await ws.completed(String(inner?.["id"]))).toMatchObject({ success: false });
    expect([told("inside"), told("outside")]).toEqual([0, 0]);
  });

  it("fails it where it passes while nothing runs, flows inside with it, by housekeeping", async () => {
    await saveFlow(ws, "f/t/hours", [nested("n", "f/t/inner"), step("z", "1")], { timeout: 300 });
    const id = await start("f/t/hours");
    const inner = await until(async () => (await stepsOf(id)).find(({ running }) => running), { what: "the flow inside" });
    await housekeep(60);
    expect((await ws.get(`jobs_u/get/${id}`)).json).toMatchObject({ running: true });
    await housekeep(301);
    expect(await ws.completed(id)).toMatchObject(timedOut);
    expect(await ws.completed(String(inner["id"]))).toMatchObject({ success: false });
  });

  it("leaves alone a flow that ends in time", async () => {
    await saveFlow(ws, "f/t/quick", [step("a", "1"), step("b", "2")], { timeout: 3600 });
    expect(await ended("f/t/quick")).toMatchObject({ success: true, result: 2 });
  });
});

describe("variable() and resource() in expressions", () => {
  const secret = "planted-options-secret";
  beforeAll(async () => {
    const variables = [
      { path: "f/t/key", value: secret, is_secret: true },
      { path: "f/t/name", value: "key", is_secret: false },
      { path: "u/admin/mine", value: "planted-of-the-admin", is_secret: true },
    ];
    for (const each of variables) expectStatus(await ws.post("variables/create", { description: "", ...each }), 201);
    const db = { path: "f/t/db", resource_type: "any", value: { hosts: ["a", "b"], password: "$var:f/t/key" }, description: "" };
    expectStatus(await ws.post("resources/create", db), 201);
  });

  it("read in input transforms, predicates, iterators and skip_expr, also where the path is computed", async () => {
    await saveFlow(ws, "f/t/reading", {
      skip_expr: "variable('f/t/name') === 'nothing'",
      modules: [
        step("a", "variable('f/t/' + variable('f/t/name')).length"),
        flow.each("l", "resource('f/t/db').hosts", [step("x", "flow_input.iter.value")]),
        flow.one("o", [["variable('f/t/name') === 'key'", [step("y", "'chosen'")]]], [step("n", "'not chosen'")]),
        step("b", "[results.a, results.l, results.o]", { stop_after_if: { expr: "resource('f/t/db').password === variable('f/t/key')" } }),
        step("z", "'never'"),
      ],
    });
    expect(await ended("f/t/reading")).toMatchObject({ success: true, result: [secret.length, ["a", "b"], "chosen"] });
    await saveFlow(ws, "f/t/skipping", { skip_expr: "variable('f/t/name') === 'key'", modules: [step("a", "1")] });
    expect(await ended("f/t/skipping")).toMatchObject({ is_skipped: true, result: "stopped early" });
  });

  it("what they read is masked like every secret, and stands in the audit log", async () => {
    await saveFlow(ws, "f/t/masked", [
      flow.script(
        "a",
        "export const main = (v: string) => { console.log('got ' + v); return { v, n: v.length }; };",
        { v: "resource('f/t/db').password" },
        {},
      ),
      step("b", "results.a.v + ' and ' + variable('f/t/key')"),
      step("c", "results.b.length"),
    ]);
    const job = await ended("f/t/masked");
    expect(job).toMatchObject({ success: true, result: 2 * secret.length + 5 });
    const steps = await Promise.all((await stepsOf(job["id"])).map(async ({ id }) => ws.completed(String(id))));
    expect(steps).toHaveLength(3);
    expect(steps[0]).toMatchObject({ result: { n: secret.length }, logs: expect.stringContaining("got ***") });
    expect(JSON.stringify([job, ...steps])).not.toContain(secret);
    const entries = (await ws.get("audit/list", { operation: "variables.decrypt_secret", resource: "f/t/key" })).json as Job[];
    expect(entries.filter(({ parameters }) => (parameters as Job)["job"] === job["id"])).toHaveLength(1);
  });

  it("fail the step with a sentence that names the path, where there is none or its caller may not read it", async () => {
    await saveFlow(ws, "f/t/none", [step("a", "variable('f/t/no_such')")]);
    const missing = await ended("f/t/none");
    expect(missing).toMatchObject({ success: false, result: { error: { name: "ExpressionError", step_id: "a" } } });
    expect(JSON.stringify(missing["result"])).toContain("$var:f/t/no_such does not exist");
    const dev = await member(ws, "dev");
    const value = { modules: [step("a", "resource('f/t/db').hosts.concat(variable('u/admin/mine'))")] };
    const answer = await dev.in(ws).post("jobs/run_wait_result/preview_flow", { value });
    expect(answer.text).toMatch(/\$(var|res):\S+ does not exist, or u\/dev may not read it/);
    expect(answer.text).not.toContain("planted");
  });
});

describe("cache_ttl of a flow", () => {
  const dice = (id: string, more: object = {}) =>
    flow.script(id, "export const main = (v: unknown) => [v, Math.random()];", { v: "flow_input.v ?? null" }, more);
  const wait = async (path: string, args: object = {}) => {
    const answer = expectStatus(await ws.post(`jobs/run_wait_result/f/${path}`, args), 200);
    return { cached: answer.headers.get("x-svc-cached") === "true", result: answer.json, id: answer.headers.get("x-svc-job-id") ?? "" };
  };

  it("answers an equal run with the first one's result, without an execution; others run", async () => {
    await saveFlow(ws, "f/t/cached", { modules: [dice("a")], cache_ttl: 3600 });
    const first = await wait("f/t/cached", { v: 1, w: [2] });
    const second = await wait("f/t/cached", { w: [2], v: 1 });
    expect([first.cached, second.cached]).toEqual([false, true]);
    expect(second.result).toEqual(first.result);
    expect(await stepsOf(second.id)).toEqual([]);
    expect(await ended("f/t/cached", { v: 1, w: [2] })).toMatchObject({ success: true, cached: true, result: first.result });
    expect((await wait("f/t/cached", { v: 2 })).cached).toBe(false);
    await saveFlow(ws, "f/t/cached", { modules: [dice("a")], cache_ttl: 3600 });
    expect((await wait("f/t/cached", { v: 1, w: [2] })).cached).toBe(false);
  });

  it("counts what references in the arguments stand for, and the content of files", async () => {
    await saveFlow(ws, "f/t/cached_refs", { modules: [dice("a")], cache_ttl: 3600, cache_ignore_s3_path: true });
    const variable = { path: "f/t/changes", value: "one", is_secret: false, description: "" };
    expectStatus(await ws.post("variables/create", variable), 201);
    const args = { v: "$var:f/t/changes" };
    const first = await wait("f/t/cached_refs", args);
    expect((await wait("f/t/cached_refs", args)).result).toEqual(first.result);
    expectStatus(await ws.post("variables/update/f/t/changes", { value: "two" }), 200);
    expect((await wait("f/t/cached_refs", args)).cached).toBe(false);
    const upload = async (file_key: string, content: string) =>
      expectStatus(await ws.call("POST", "job_helpers/upload_s3_file", { query: { file_key }, body: content }), 200);
    await upload("options/a.txt", "equal");
    await upload("options/b.txt", "equal");
    const a = await wait("f/t/cached_refs", { v: { s3: "options/a.txt" } });
    expect(await wait("f/t/cached_refs", { v: { s3: "options/b.txt" } })).toMatchObject({ cached: true, result: a.result });
    await upload("options/b.txt", "another");
    expect((await wait("f/t/cached_refs", { v: { s3: "options/b.txt" } })).cached).toBe(false);
  });

  it("stores no failures; a step that runs a flow may have one too", async () => {
    await saveFlow(ws, "f/t/cached_fails", { modules: [dice("a"), flow.failIf("b", "true")], cache_ttl: 3600 });
    await wait("f/t/cached_fails");
    const again = await wait("f/t/cached_fails");
    expect(again.cached).toBe(false);
    expect(await stepsOf(again.id)).toHaveLength(2);
    await saveFlow(ws, "f/t/plain", [dice("a")]);
    await saveFlow(ws, "f/t/calls", [
      nested("n", "f/t/plain", { cache_ttl: 3600 }),
      nested("m", "f/t/plain", { cache_ttl: 3600 }),
      step("z", "[results.n, results.m]"),
    ]);
    const [n, m] = (await ended("f/t/calls"))["result"] as unknown[];
    expect(n).toEqual(m);
  });
});
