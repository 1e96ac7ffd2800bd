import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { flowCalls, tellingStep } from "../../support/flows/calls.ts";
import { flow, saveFlow } from "../../support/flows/flow.ts";
import { startWitness, type Witness } from "../../support/jobs/witness.ts";

let ws: Workspace;
let witness: Witness;
beforeAll(async () => {
  [ws, witness] = await Promise.all([newWorkspace(), startWitness()]);
});
afterAll(() => witness?.close());

const { step } = flow;
const { ended, stepsOf } = flowCalls(() => ws);
const telling = tellingStep(() => witness);
const timedOut = { success: false, canceled: false, result: { error: { name: "TimeoutError" } } };

describe("a flow's timeout", () => {
  it("a timeout stops the running script, and neither later steps nor the failure module begin", async () => {
    const failure_module = { ...telling("failure", "mended"), id: "failure" };
    await saveFlow(ws, "f/t/late", { modules: [telling("a", "late-a", 100), telling("b", "late-b")], failure_module }, { timeout: 8 });
    const job = await ended("f/t/late");
    expect(job).toMatchObject(timedOut);
    expect((job["result"] as { error: { message: string } }).error.message).toContain("8 s");
    const steps = await stepsOf(job["id"]);
    expect(steps).toHaveLength(1);
    expect(await ws.completed(String(steps[0]?.["id"]))).toMatchObject({ success: false });
    expect([witness.count("late-a"), witness.count("late-a-ended"), witness.count("late-b"), witness.count("mended")]).toEqual([
      1, 0, 0, 0,
    ]);
  });
});

describe("early_return", () => {
  it("early_return may be an expression, which is evaluated after its steps have ended", async () => {
    const modules = [step("a", "20"), flow.one("o", [["true", [step("b", "22")]]]), telling("z", "early", 5)];
    await saveFlow(ws, "f/t/early", { modules, early_return: "({ sum: results.a + results.b, of: flow_input.x })" });
    const answer = expectStatus(await ws.post("jobs/run_wait_result/f/f/t/early", { x: 1 }), 200);
    expect(answer.json).toEqual({ sum: 42, of: 1 });
    expect(witness.count("early-ended")).toBe(0);
    expect(await ws.completed(answer.headers.get("x-svc-job-id") ?? "")).toMatchObject({ success: true, result: "early" });
  });
});

describe("user states", () => {
  it("scripts store user states with the flow, and flow_status shows them", async () => {
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
