import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectStatus, type Workspace } from "../../../test/support/api/workspace.ts";
import { flowCalls, tellingStep } from "../../../test/support/flows/calls.ts";
import { flow, saveFlow } from "../../../test/support/flows/flow.ts";
import { startWitness, type Witness } from "../../../test/support/jobs/witness.ts";
import { type Service, startService } from "../../../test/support/use-cases/service.ts";
import { tracesOf } from "../../../test/support/use-cases/stored/traces.ts";

let service: Service;
let ws: Workspace;
let witness: Witness;
beforeAll(async () => {
  [service, witness] = await Promise.all([startService(["run", "jobs", "objects", "people"]), startWitness()]);
  ws = service.ws;
});
afterAll(async () => {
  await witness?.close();
  await service?.close();
});

const { step } = flow;
const { start, ended, stepsOf } = flowCalls(() => ws);
const telling = tellingStep(() => witness);
const housekeep = (inS = 0) => service.housekeep(inS);
const traces = (job: unknown) => tracesOf(ws.id, job);

describe("delete_after_secs", () => {
  const text = "topsecret".padEnd(3000, "s");
  const says = (id: string, more: object = {}) =>
    flow.script(id, "export const main = (v: string) => { console.log(v); return { v }; };", { v: "flow_input.v ?? results.a.v" }, more);

  it("the flow, its steps and nested flows are erased after the delay", async () => {
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

  it("steps that ran in one call are erased too", async () => {
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

  it("the jobs of one module are erased after the delay, and later modules have its result until then", async () => {
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
    await witness.waitForReport("waits");
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

  it("a delay of 0 leaves only the response to the synchronous caller", async () => {
    await saveFlow(ws, "f/t/erased_sync", { modules: [says("a")], delete_after_secs: 0 });
    const answer = expectStatus(await ws.post("jobs/run_wait_result/f/f/t/erased_sync", { v: text }), 200);
    expect(answer.json).toEqual({ v: text });
    const id = answer.headers.get("x-svc-job-id") ?? "";
    const [a] = await stepsOf(id);
    for (const each of [id, a?.["id"]]) expect(await traces(each)).not.toContain("topsecret");
  });
});
