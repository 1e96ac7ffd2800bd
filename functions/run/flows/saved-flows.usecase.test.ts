import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { member } from "../../../test/support/api/people.ts";
import { expectStatus, type Workspace } from "../../../test/support/api/workspace.ts";
import { flow, runFlow, saveFlow } from "../../../test/support/flows/flow.ts";
import { type Service, startService } from "../../../test/support/use-cases/service.ts";

let service: Service;
let ws: Workspace;
beforeAll(async () => {
  service = await startService(["run", "jobs", "objects", "people"]);
  ws = service.ws;
});
afterAll(() => service.close());

const { step, each } = flow;

const nested = (id: string, path: string, args: Record<string, string> = {}, more: object = {}) => ({
  id,
  value: {
    type: "flow",
    path,
    input_transforms: Object.fromEntries(Object.entries(args).map(([name, expr]) => [name, { type: "javascript", expr }])),
  },
  ...more,
});

const status = (job: Record<string, unknown>) => job["flow_status"] as { step: number; modules: Record<string, unknown>[] };

describe("saved flows", () => {
  it("a flow runs scripts by path in the newest version and by hash", async () => {
    const hash = await ws.saveScript({ path: "f/t/who", language: "bun", content: "export const main = (x: number) => ['old', x];" });
    await ws.saveScript({ path: "f/t/who", language: "bun", content: "export const main = (x: number) => ['new', x];" });
    const script = (id: string, more: object) => ({
      id,
      value: { type: "script", path: "f/t/who", input_transforms: { x: { type: "static", value: 1 } }, ...more },
    });
    const job = await runFlow(ws, [script("a", {}), script("b", { hash }), step("c", "[results.a, results.b]")]);
    expect(job["result"]).toEqual([
      ["new", 1],
      ["old", 1],
    ]);
  });

  it("a flow fails with a sentence if a script is missing or its caller may not run it", async () => {
    expect((await runFlow(ws, [{ id: "a", value: { type: "script", path: "f/t/none", input_transforms: {} } }]))["result"]).toEqual({
      error: { name: "NotFound", message: "There is no script at f/t/none.", step_id: "a" },
    });
    await ws.saveScript({ path: "u/admin/mine", language: "bun", content: "export const main = () => 'mine';" });
    const dev = await member(ws, "dev");
    const value = { modules: [{ id: "a", value: { type: "script", path: "u/admin/mine", input_transforms: {} } }] };
    const answer = await dev.in(ws).post("jobs/run_wait_result/preview_flow", { value });
    expect(answer.json).toMatchObject({ error: { name: "NotFound", message: "There is no script at u/admin/mine." } });
  });
});

describe("the jobs of a flow's steps", () => {
  it("jobs of steps contain flow, root and step, and can be listed by flow", async () => {
    const job = await runFlow(ws, [step("a", "1"), each("l", "[1, 2]", [step("b", "2")])]);
    const steps = (await ws.get("jobs/list", { parent_job: String(job["id"]), order_desc: false })).json as Record<string, unknown>[];
    expect(steps.map((each) => each["flow_step_id"])).toEqual(["a", "b", "b"]);
    for (const each of steps)
      expect(each).toMatchObject({ parent_job: job["id"], root_job: job["id"], is_flow_step: true, job_kind: "flowscript" });
    expect((await ws.get(`jobs_u/get_root_job_id/${String(steps[0]?.["id"])}`)).json).toBe(job["id"]);
  });
});

describe("flow_status", () => {
  it("flow_status exists from the creation of the job", async () => {
    const value = { modules: [step("a", "1"), step("b", "2")] };
    const id = expectStatus(await ws.post("jobs/run/preview_flow", { value }, { scheduled_in_secs: 3600 }), 201).text;
    const job = (await ws.get(`jobs_u/get/${id}`)).json as Record<string, unknown>;
    expect(status(job).modules).toEqual([
      { type: "WaitingForPriorSteps", id: "a" },
      { type: "WaitingForPriorSteps", id: "b" },
    ]);
    expect(job["raw_flow"]).toEqual(value);
    expect(job).not.toHaveProperty("raw_code");
  });
});

describe("nested flows", () => {
  it("a nested flow is a separate job, and its caller continues with its result", async () => {
    await saveFlow(ws, "f/t/inner", [
      step("x", "flow_input.n + 1"),
      step("y", "results.x * 10", { stop_after_if: { expr: "true" } }),
      step("z", "0"),
    ]);
    const job = await runFlow(ws, [nested("a", "f/t/inner", { n: "flow_input.n" }), step("b", "[results.a]")], { n: 1 });
    expect(job["result"]).toEqual([20]);
    const inside = String(status(job).modules[0]?.["job"]);
    expect((await ws.get(`jobs_u/get/${inside}`)).json).toMatchObject({
      job_kind: "flow",
      parent_job: job["id"],
      root_job: job["id"],
      result: 20,
    });
  });
});
