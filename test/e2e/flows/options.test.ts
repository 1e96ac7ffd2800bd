import { QueryCommand } from "@aws-sdk/client-dynamodb";
import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { api } from "../../support/api/api.ts";
import { member } from "../../support/api/people.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { awsClients, invoke } from "../../support/engine/aws.ts";
import { startTestInstance, type TestInstance } from "../../support/engine/instances.ts";
import { flow, saveFlow } from "../../support/flows/flow.ts";
import { startWitness, type Witness } from "../../support/jobs/witness.ts";
import { until } from "../../support/until.ts";

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

  it("holds where steps run together in one task", async () => {
    await saveFlow(
      ws,
      "f/t/together",
      { modules: [step("a", "1", sleeps(600)), telling("b", "together")], same_worker: true },
      { timeout: 2 },
    );
    expect(await ended("f/t/together")).toMatchObject(timedOut);
    expect(told("together")).toBe(0);
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

  it("are not had in plain by running a step's job again", async () => {
    await ws.saveScript({ path: "f/t/takes", language: "bun", content: "export const main = (v: string) => v.length;" });
    const input_transforms = { v: { type: "javascript", expr: "variable('f/t/key')" } };
    await saveFlow(ws, "f/t/hands_on", [{ id: "a", value: { type: "script", path: "f/t/takes", input_transforms } }]);
    const job = await ended("f/t/hands_on");
    expect(job).toMatchObject({ success: true, result: secret.length });
    const [a] = await stepsOf(job["id"]);
    const body = { job_ids: [a?.["id"]], script_options_by_path: {}, flow_options_by_path: {} };
    expect((await ws.post("jobs/run/batch_rerun_jobs", body)).text).toMatch(/^Error: The job \S+ cannot be run again by itself/);
  });

  it("fail the step with a sentence that names the path, where there is none or its caller may not read it", async () => {
    await saveFlow(ws, "f/t/none", [step("a", "variable('f/t/no_such')")]);
    const missing = await ended("f/t/none");
    expect(missing).toMatchObject({ success: false, result: { error: { name: "ExpressionError", step_id: "a" } } });
    expect(JSON.stringify(missing["result"])).toContain("$var:f/t/no_such does not exist");
    const dev = await member(ws, "dev");
    const value = { modules: [step("a", "resource('f/t/db').hosts.concat(variable('u/admin/mine'))")] };
    const answer = await dev.in(ws).post("jobs/run_wait_result/preview_flow", { value });
    expect(answer.text).toMatch(/\$(var|res):\S+ does not exist, or u\/dev\w+ is not allowed to read it/);
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

/** Everything that any store holds of a job, as text. */
async function traces(job: unknown): Promise<string> {
  const { dynamodb, s3 } = awsClients(instance);
  const input = {
    TableName: instance.outputs["JobsTable"],
    KeyConditionExpression: "pk = :p",
    ExpressionAttributeValues: { ":p": { S: String(job) } },
  };
  const { Items } = await dynamodb.send(new QueryCommand({ ...input, ConsistentRead: true }));
  const { Contents = [] } = await s3.send(
    new ListObjectsV2Command({ Bucket: instance.outputs["Bucket"], Prefix: `jobs/${ws.id}/${String(job)}/` }),
  );
  return JSON.stringify([Items, Contents.map(({ Key }) => Key)]);
}

describe("delete_after_secs", () => {
  const text = "topsecret".padEnd(3000, "s");
  const says = (id: string, more: object = {}) =>
    flow.script(id, "export const main = (v: string) => { console.log(v); return { v }; };", { v: "flow_input.v ?? results.a.v" }, more);

  it("of a flow erases it so long after its end, its steps and those of flows inside with it", async () => {
    await saveFlow(ws, "f/t/erased_inner", [says("x")]);
    const inner = {
      id: "n",
      value: { type: "flow", path: "f/t/erased_inner", input_transforms: { v: { type: "javascript", expr: "results.a.v" } } },
    };
    await saveFlow(ws, "f/t/erased", { modules: [says("a"), inner, flow.each("l", "[1, 2]", [says("b")])], delete_after_secs: 100 });
    const id = await start("f/t/erased", { v: text });
    expect(await ws.completed(id)).toMatchObject({ success: true, result: [{ v: text }, { v: text }] });
    const steps = (await stepsOf(id)).map((each) => String(each["id"]));
    const inside = (await stepsOf(steps[1])).map((each) => String(each["id"]));
    const all = [id, ...steps, ...inside];
    expect(all).toHaveLength(6);
    await housekeep(50);
    for (const each of all) expect(await traces(each)).toContain("topsecret");
    await housekeep(101);
    for (const each of all) {
      expect(await traces(each)).not.toContain("topsecret");
      expect(await traces(each)).not.toContain(`jobs/${ws.id}`);
      expect(await ws.completed(each)).toMatchObject({ success: true, deleted: true });
    }
    const again = await ws.post(`jobs/restart/f/${id}`, { step_id: "l" });
    expect([again.status, again.text]).toEqual([400, expect.stringContaining("erased")]);
  });

  it("of a flow erases steps that ran together in one call too", async () => {
    const value = { modules: [says("a"), says("b"), says("c")], same_worker: true, delete_after_secs: 100 };
    await saveFlow(ws, "f/t/erased_together", value);
    // Once they are known to be quick they go together.
    const runs = [await ended("f/t/erased_together", { v: text }), await ended("f/t/erased_together", { v: text })];
    await housekeep(101);
    for (const { id, success } of runs) {
      expect(success).toBe(true);
      const steps = await stepsOf(id);
      expect(steps).toHaveLength(3);
      for (const each of [id, ...steps.map((one) => one["id"])]) expect(await traces(each)).not.toContain("topsecret");
    }
  });

  it("of a module erases its jobs alone, so long after its flow's end: until then those behind it have its result", async () => {
    const value = {
      modules: [
        says("a", { delete_after_secs: 0 }),
        telling("t", "waits", 4),
        step("b", "results.a.v.length"),
        step("c", "results.a.v.slice(0, 5)"),
      ],
    };
    await saveFlow(ws, "f/t/erased_step", value);
    const id = await start("f/t/erased_step", { v: "topsecret" });
    await witness.heard("waits");
    await housekeep();
    expect(await ws.completed(id)).toMatchObject({ success: true, result: "topse" });
    await housekeep(1);
    const [a, , b] = (await stepsOf(id)).map((each) => String(each["id"]));
    expect(await ws.completed(a ?? "")).toMatchObject({ success: true, deleted: true });
    expect(await traces(a)).not.toContain("topsecret");
    expect(await ws.completed(b ?? "")).toMatchObject({ success: true, result: 9 });
    expect(await ws.completed(id)).toMatchObject({ result: "topse", args: { v: "topsecret" } });
    const outcomes = (await traces(id)).match(/m#a@.{0,400}/)?.[0] ?? "";
    expect(outcomes).not.toContain("topsecret");
    const again = await ws.post(`jobs/restart/f/${id}`, { step_id: "c" });
    expect([again.status, again.text]).toEqual([400, expect.stringContaining("erased")]);
    expectStatus(await ws.post(`jobs/restart/f/${id}`, { step_id: "a" }), 201);
  });

  it("0: a synchronous caller has the only answer", async () => {
    await saveFlow(ws, "f/t/erased_sync", { modules: [says("a")], delete_after_secs: 0 });
    const answer = expectStatus(await ws.post("jobs/run_wait_result/f/f/t/erased_sync", { v: text }), 200);
    expect(answer.json).toEqual({ v: text });
    const id = answer.headers.get("x-svc-job-id") ?? "";
    const [a] = await stepsOf(id);
    for (const each of [id, a?.["id"]]) expect(await traces(each)).not.toContain("topsecret");
  });
});

describe("of a step's job", () => {
  it("priority is its module's, or its flow's", async () => {
    await saveFlow(ws, "f/t/quiet", [step("x", "1")]);
    await saveFlow(ws, "f/t/urgent", {
      modules: [step("a", "1", { priority: 7 }), step("b", "1"), nested("n", "f/t/quiet", { priority: 9 })],
      priority: 3,
    });
    const steps = await stepsOf((await ended("f/t/urgent"))["id"]);
    expect(steps.map(({ priority }) => priority)).toEqual([7, 3, 9]);
    expect((await stepsOf(steps[2]?.["id"])).map(({ priority }) => priority)).toEqual([9]);
  });

  it("the environment names its flow", async () => {
    const content =
      "export const main = () => [process.env.WM_FLOW_PATH, process.env.OV_FLOW_PATH, process.env.WM_FLOW_JOB_ID, process.env.WM_FLOW_STEP_ID];";
    await saveFlow(ws, "f/t/named", [flow.script("a", content, {}, {})]);
    const job = await ended("f/t/named");
    expect(job["result"]).toEqual(["f/t/named", "f/t/named", job["id"], "a"]);
  });
});

describe("early_return", () => {
  it("may be an expression, answered once the steps that it names have ended", async () => {
    const modules = [step("a", "20"), flow.one("o", [["true", [step("b", "22")]]]), telling("z", "early", 5)];
    await saveFlow(ws, "f/t/early", { modules, early_return: "({ sum: results.a + results.b, of: flow_input.x })" });
    const answer = expectStatus(await ws.post("jobs/run_wait_result/f/f/t/early", { x: 1 }), 200);
    expect(answer.json).toEqual({ sum: 42, of: 1 });
    expect(told("early-ended")).toBe(0);
    expect(await ws.completed(answer.headers.get("x-svc-job-id") ?? "")).toMatchObject({ success: true, result: "early" });
  });

  it("that cannot be evaluated leaves its callers to wait for the end", async () => {
    await saveFlow(ws, "f/t/early_not", { modules: [step("a", "1"), step("b", "2")], early_return: "results.a.b.c.d" + ".e()" });
    expect(expectStatus(await ws.post("jobs/run_wait_result/f/f/t/early_not", {}), 200).json).toBe(2);
  });
});

describe("user states", () => {
  it("are kept with the flow by its scripts, and show in its flow_status", async () => {
    const content = `export async function main() {
      const { WM_TOKEN: token, WM_WORKSPACE: ws, WM_JOB_ID: id, BASE_INTERNAL_URL: url } = process.env;
      const headers = { authorization: "Bearer " + token, "content-type": "application/json" };
      const root = await (await fetch(url + "/api/w/" + ws + "/jobs_u/get_root_job_id/" + id, { headers })).json();
      const at = (key: string) => url + "/api/w/" + ws + "/jobs/flow/user_states/" + root + "/" + key;
      const none = await (await fetch(at("count"), { headers })).json();
      const answers = [];
      for (const body of ["1", '{"n":2}']) answers.push((await fetch(at("count"), { method: "POST", headers, body })).status);
      return [none, answers, await (await fetch(at("count"), { headers })).json()];
    }`;
    await saveFlow(ws, "f/t/states", [flow.script("a", content, {}, {})]);
    const job = await ended("f/t/states");
    expect(job).toMatchObject({ result: [null, [200, 200], { n: 2 }], flow_status: { user_states: { count: { n: 2 } } } });
    expect((await ws.get(`jobs/flow/user_states/${String(job["id"])}/count`)).json).toEqual({ n: 2 });
    expect((await ws.get(`jobs/flow/user_states/${String(job["id"])}/none`)).json).toBeNull();
    expect((await ws.post(`jobs/flow/user_states/${String(job["id"])}/count`, 3)).status).toBe(400);
  });
});

describe("a flow that is gone on with where it failed", () => {
  const setMode = async (value: string) => expectStatus(await ws.post("variables/update/f/t/mode", { value }), 200);
  const dice = (id: string, more: object = {}) =>
    flow.script(id, "export const main = (v: unknown) => [v, Math.random()];", { v: "flow_input.iter?.value ?? null" }, more);
  const bad = (id: string, which = "true") =>
    flow.failIf(id, `variable('f/t/mode') === 'bad' && (${which})`, "[flow_input.iter?.value ?? null, Math.random()]");
  const redrive = async (id: unknown) => ws.completed(expectStatus(await ws.post(`jobs/restart/f/${String(id)}`, {}), 201).text);
  beforeAll(async () => {
    const variable = { path: "f/t/mode", value: "bad", is_secret: false, description: "" };
    expectStatus(await ws.post("variables/create", variable), 201);
  });

  it("keeps what went well, and runs the failed step and those after it", async () => {
    await setMode("bad");
    await saveFlow(ws, "f/t/fails", [dice("a"), bad("b"), step("c", "[results.a, 'mended']")]);
    const first = await ended("f/t/fails");
    expect(first).toMatchObject({ success: false });
    const [a] = await Promise.all((await stepsOf(first["id"])).map(({ id }) => ws.completed(String(id))));
    await setMode("good");
    const again = await redrive(first["id"]);
    expect(again).toMatchObject({ success: true, result: [a?.["result"], "mended"] });
    expect(await stepsOf(again["id"])).toHaveLength(2);
    expect(await ws.completed(String(first["id"]))).toMatchObject({ success: false });
    const refused = await ws.post(`jobs/restart/f/${String(again["id"])}`, {});
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("has not failed")]);
  });

  it("in a loop begins with the iteration that failed, in a parallel one runs those alone", async () => {
    await setMode("bad");
    const modules = [flow.each("l", "[1, 2, 3]", [dice("a"), bad("b", "flow_input.iter.index === 1")])];
    await saveFlow(ws, "f/t/fails_in_loop", modules);
    await saveFlow(ws, "f/t/fails_beside", [flow.each("l", "[1, 2, 3]", [bad("b", "flow_input.iter.index === 1")], { parallel: true })]);
    const [one, beside] = await Promise.all([ended("f/t/fails_in_loop"), ended("f/t/fails_beside")]);
    await setMode("good");
    const [again, besideAgain] = await Promise.all([redrive(one["id"]), redrive(beside["id"])]);
    const [before, after] = [one["result"] as unknown[], again["result"] as unknown[][]];
    expect(after[0]).toEqual(before[0]);
    expect(after.map(([value]) => value)).toEqual([1, 2, 3]);
    expect(await stepsOf(again["id"])).toHaveLength(4);
    const [parallelBefore, parallelAfter] = [beside["result"] as unknown[], besideAgain["result"] as unknown[][]];
    expect([parallelAfter[0], parallelAfter[2]]).toEqual([parallelBefore[0], parallelBefore[2]]);
    expect(parallelAfter[1]?.[0]).toBe(2);
    expect(await stepsOf(besideAgain["id"])).toHaveLength(1);
  });

  it("and runs of flows are run again by a batch, with other arguments and in the newest version where that is asked for", async () => {
    await saveFlow(ws, "f/t/batch", [step("a", "['old', flow_input.x]")]);
    const ids = [await start("f/t/batch", { x: 1 }), await start("f/t/batch", { x: 2 })];
    for (const id of ids) await ws.completed(id);
    await saveFlow(ws, "f/t/batch", [step("a", "['new', flow_input.x]")]);
    const rerun = async (options: object) => {
      const body = { job_ids: ids, script_options_by_path: {}, flow_options_by_path: { "f/t/batch": options } };
      const lines = expectStatus(await ws.post("jobs/run/batch_rerun_jobs", body), 201)
        .text.trim()
        .split("\n");
      return Promise.all(lines.map(async (line) => (await ws.completed(line))["result"]));
    };
    expect(await rerun({})).toEqual([
      ["old", 1],
      ["old", 2],
    ]);
    const input_transforms = { x: { type: "javascript", expr: "job.input.x * 10" } };
    expect(await rerun({ use_latest_version: true, input_transforms })).toEqual([
      ["new", 10],
      ["new", 20],
    ]);
  });
});

describe("concurrency limits of steps", () => {
  const content = `export async function main(url: string, tag: string, n: unknown, seconds: number) {
    await fetch(url + "/begun?tag=" + tag);
    await Bun.sleep(seconds * 1000);
    await fetch(url + "/ended?tag=" + tag);
    return n;
  }`;
  const inputs = (tag: string, n: string, seconds: number) => ({ url: `"${witness.url}"`, tag: `"${tag}"`, n, seconds: String(seconds) });
  const transforms = (texts: Record<string, string>) =>
    Object.fromEntries(Object.entries(texts).map(([name, expr]) => [name, { type: "javascript", expr }]));
  const limited = (id: string, tag: string, n: string, seconds: number) => ({
    id,
    value: { type: "script", path: "f/t/limited", input_transforms: transforms(inputs(tag, n, seconds)) },
  });
  const heard = (tag: string) => witness.told.filter(({ query }) => query["tag"] === tag).map(({ what }) => what);
  /** How many ran at the same time, at the most. */
  const mostAtOnce = (tag: string) => {
    let now = 0;
    return Math.max(0, ...heard(tag).map((what) => (what === "begun" ? ++now : --now)));
  };
  beforeAll(() => ws.saveScript({ path: "f/t/limited", language: "bun", content, concurrent_limit: 1 }));

  it("of the script that a step runs hold for it too, beside runs of its own", async () => {
    const value = {
      modules: [
        flow.each("l", "[1, 2, 3, 4]", [limited("a", "shared", "flow_input.iter.value", 0.5)], { parallel: true }),
        step("z", "results.l"),
      ],
    };
    await saveFlow(ws, "f/t/storm", value);
    const own = await ws.run("f/t/limited", { url: witness.url, tag: "shared", n: 0, seconds: 0.5 });
    expect(await ended("f/t/storm")).toMatchObject({ success: true, result: [1, 2, 3, 4] });
    expect(await ws.completed(own)).toMatchObject({ success: true });
    expect(heard("shared")).toHaveLength(10);
    expect(mostAtOnce("shared")).toBe(1);
  });

  it("of an inline script hold by its key", async () => {
    const inline = (limit: object, tag: string) => {
      const { value, ...module } = flow.script("a", content, inputs(tag, "flow_input.iter.value", 1), {});
      return flow.each("l", "[1, 2, 3, 4]", [{ ...module, value: { ...value, ...limit } }], { parallel: true });
    };
    await saveFlow(ws, "f/t/inline_limit", [inline({ concurrent_limit: 1 }, "one")]);
    await saveFlow(ws, "f/t/inline_keys", [inline({ concurrent_limit: 1, custom_concurrency_key: "options-$args[n]" }, "keys")]);
    expect(await ended("f/t/inline_limit")).toMatchObject({ success: true, result: [1, 2, 3, 4] });
    expect(mostAtOnce("one")).toBe(1);
    expect(await ended("f/t/inline_keys")).toMatchObject({ success: true, result: [1, 2, 3, 4] });
    expect(mostAtOnce("keys")).toBeGreaterThan(1);
  });

  it("a step that waits for long lets its execution end, and the flow goes on when its turn has come, or ends with what waits", async () => {
    const blocker = await ws.run("f/t/limited", { url: witness.url, tag: "blocker", n: 0, seconds: 45 });
    await until(() => heard("blocker").includes("begun"), { what: "the run that has the slot" });
    const modules = [
      flow.all("p", [[limited("a", "waited", "1", 0)], [step("b", "2")]], { parallel: true }),
      step("z", "[results.a, results.b]"),
    ];
    await saveFlow(ws, "f/t/waits", modules);
    await saveFlow(ws, "f/t/waits_in_vain", [limited("a", "in-vain", "1", 0)]);
    const [waits, inVain] = [await start("f/t/waits"), await start("f/t/waits_in_vain")];
    for (const id of [waits, inVain]) {
      await until(async () => (await traces(id)).includes('"p#'), { timeoutMs: 60_000, what: "a flow that lets its execution end" });
    }
    expectStatus(await ws.post(`jobs_u/queue/cancel/${inVain}`, { reason: "enough" }), 200);
    const [step1] = await stepsOf(inVain);
    expect(await ws.completed(String(step1?.["id"]))).toMatchObject({ canceled: true });
    expect(await ws.completed(waits, 120_000)).toMatchObject({ success: true, result: [1, 2] });
    expect(await ws.completed(blocker)).toMatchObject({ success: true });
    expect([heard("waited"), heard("in-vain")]).toEqual([["begun", "ended"], []]);
  }, 180_000);
});
