import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { member } from "../../../test/support/api/people.ts";
import { expectStatus, type Workspace } from "../../../test/support/api/workspace.ts";
import { flowCalls } from "../../../test/support/flows/calls.ts";
import { flow, saveFlow } from "../../../test/support/flows/flow.ts";
import { type Service, startService } from "../../../test/support/use-cases/service.ts";

let service: Service;
let ws: Workspace;
beforeAll(async () => {
  service = await startService(["run", "jobs", "objects", "people"]);
  ws = service.ws;
});
afterAll(() => service.close());

const { step } = flow;
type Job = Record<string, unknown>;
const { ended, stepsOf } = flowCalls(() => ws);

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

  it("input transforms, predicates, iterators and skip_expr can read references with computed paths", async () => {
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

  it("values of references are masked like every secret and recorded in the audit log", async () => {
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
    // Two steps read the key. Each process records it once, and the steps may run in two processes.
    const recorded = entries.filter(({ parameters }) => (parameters as Job)["job"] === job["id"]).length;
    expect([1, 2]).toContain(recorded);
  });

  it("running a step's job again does not reveal values of references", async () => {
    await ws.saveScript({ path: "f/t/takes", language: "bun", content: "export const main = (v: string) => v.length;" });
    const input_transforms = { v: { type: "javascript", expr: "variable('f/t/key')" } };
    await saveFlow(ws, "f/t/hands_on", [{ id: "a", value: { type: "script", path: "f/t/takes", input_transforms } }]);
    const job = await ended("f/t/hands_on");
    expect(job).toMatchObject({ success: true, result: secret.length });
    const [a] = await stepsOf(job["id"]);
    const body = { job_ids: [a?.["id"]], script_options_by_path: {}, flow_options_by_path: {} };
    expect((await ws.post("jobs/run/batch_rerun_jobs", body)).text).toMatch(/^Error: The job \S+ cannot be run again by itself/);
  });

  it("a missing or unreadable reference fails the step with a sentence that names the path", async () => {
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

describe("options of a step's job", () => {
  it("the environment names its flow", async () => {
    const content =
      "export const main = () => [process.env.WM_FLOW_PATH, process.env.OV_FLOW_PATH, process.env.WM_FLOW_JOB_ID, process.env.WM_FLOW_STEP_ID];";
    await saveFlow(ws, "f/t/named", [flow.script("a", content, {}, {})]);
    const job = await ended("f/t/named");
    expect(job["result"]).toEqual(["f/t/named", "f/t/named", job["id"], "a"]);
  });
});

describe("early_return", () => {
  it("an early_return that cannot be evaluated fails the step after which it is evaluated", async () => {
    await saveFlow(ws, "f/t/early_not", { modules: [step("a", "1"), step("b", "2")], early_return: "results.a.b.c.d" + ".e()" });
    expect(expectStatus(await ws.post("jobs/run_wait_result/f/f/t/early_not", {}), 200).json).toMatchObject({
      error: { name: "ExpressionError", step_id: "a", message: expect.stringContaining("early_return: results.a.b.c.d.e(): TypeError") },
    });
  });
});
