import { ListExecutionsCommand, ListStateMachinesCommand, SFNClient, StopExecutionCommand } from "@aws-sdk/client-sfn";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { api } from "../../support/api/api.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { asks, urls, visit, waiting } from "../../support/approvals/approvals.ts";
import { invoke } from "../../support/engine/aws.ts";
import { startTestInstance, type TestInstance } from "../../support/engine/instances.ts";
import { crashFunction } from "../../support/engine/processes.ts";
import { flow, saveFlow } from "../../support/flows/flow.ts";
import { startWitness, type Witness } from "../../support/jobs/witness.ts";
import { until } from "../../support/until.ts";

/** Processes are killed and the engine is stopped here, so this file has its own instance. */
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

/** A slow step that reports its start. */
const telling = (id: string, what: string, seconds = 0, more: object = {}) =>
  flow.script(
    id,
    `export async function main(url: string, what: string, seconds: number, n?: unknown) {
      await fetch(url + "/" + what + "?attempt=" + process.env.OV_ATTEMPT + "&n=" + n);
      await Bun.sleep(seconds * 1000);
      return what;
    }`,
    { url: `"${witness.url}"`, what: `"${what}"`, seconds: String(seconds), n: "flow_input.iter?.index" },
    more,
  );
const start = async (modules: object[], more: object = {}) =>
  expectStatus(await ws.post("jobs/run/preview_flow", { value: { modules, ...more }, args: {} }), 201).text;
const job = async (id: string) => expectStatus(await ws.get(`jobs_u/get/${id}`), 200).json as Record<string, unknown>;
const housekeep = () => invoke("HousekeepingFunction", { aheadMs: 600_000 }, instance);
const hasSucceeded = (id: string, step: string) =>
  until(
    async () => {
      const { modules } = (await job(id))["flow_status"] as { modules: { id: string; type: string }[] };
      return modules.some((module) => module.id === step && module.type === "Success");
    },
    { timeoutMs: 60_000, what: `the end of step ${step}` },
  );

describe("recovery of flows", () => {
  it("finished steps do not run again after the step function died", async () => {
    const id = await start([telling("a", "a1"), telling("b", "b1", 6), telling("c", "c1")]);
    await witness.waitForReport("b1");
    expect(crashFunction(instance, { output: "StepFunction" })).toBeGreaterThan(0);
    expect(await ws.completed(id, 120_000)).toMatchObject({ success: true, result: "c1" });
    expect([witness.count("a1"), witness.count("b1"), witness.count("c1")]).toEqual([1, 1, 1]);
  });

  it("only the step is repeated after its runner died", async () => {
    const id = await start([telling("a", "a2"), telling("b", "b2", 3), telling("c", "c2")]);
    await witness.waitForReport("b2");
    crashFunction(instance, { runner: "bun" });
    expect(await ws.completed(id, 120_000)).toMatchObject({ success: true, result: "c2" });
    expect([witness.count("a2"), witness.count("b2"), witness.count("c2")]).toEqual([1, 2, 1]);
  });

  it("after its runner died, at most the batch runs again, and no earlier step", async () => {
    const quick = (id: string, more: object = {}) =>
      flow.script(
        id,
        `export async function main(url: string, id: string, slow: boolean) {
          await fetch(url + "/" + id);
          if (slow) await Bun.sleep(3000);
          return id;
        }`,
        { url: "flow_input.url", id: `"${id}"`, slow: `flow_input.slow === "${id}"` },
        more,
      );
    const ids = Array.from({ length: 6 }, (_, index) => `s${index}`);
    const alone = { retry: { constant: { attempts: 1, seconds: 0 } } };
    const value = { same_worker: true, modules: [quick("first", alone), ...ids.map((id) => quick(id))] };
    const run = async (slow: string) => {
      witness.reports.length = 0;
      return expectStatus(await ws.post("jobs/run/preview_flow", { value, args: { url: witness.url, slow } }), 201).text;
    };
    // The duration of the steps is known after they have run.
    for (const _ of ["once", "twice"]) await ws.completed(await run(""), 60_000);
    const id = await run("s4");
    await witness.waitForReport("s4");
    crashFunction(instance, { runner: "bun" });
    expect(await ws.completed(id, 120_000)).toMatchObject({ success: true, result: "s5" });
    expect(witness.count("first")).toBe(1);
    for (const each of ids) expect([1, 2], each).toContain(witness.count(each));
  }, 240_000);

  it("a flow continues after a restart of the engine, also in parallel loops and branches", async () => {
    const modules = [
      telling("a", "a3"),
      flow.each("l", "[0, 1, 2, 3]", [telling("x", "x3"), telling("y", "y3", 2)], { parallel: true, parallelism: 2 }),
      flow.all("b", [[telling("p", "p3", 4)], [telling("q", "q3", 4)]], { parallel: true }),
      telling("z", "z3"),
    ];
    const id = await start(modules);
    await witness.waitForReport("y3");
    await instance.stopEngine();
    await instance.startEngine();
    const ended = await ws.completed(id, 180_000);
    expect(ended).toMatchObject({ success: true, result: "z3" });
    // Steps that had ended before the stop ran once; interrupted steps ran at most twice.
    expect([witness.count("a3"), witness.count("z3")]).toEqual([1, 1]);
    expect(witness.count("x3")).toBeLessThanOrEqual(6);
    expect(witness.count("y3")).toBeLessThanOrEqual(8);
  }, 240_000);

  it("everything that waits continues at once after the engine was killed and started again", async () => {
    const waits = async (path: string, modules: object[]) => {
      await saveFlow(ws, path, modules);
      return expectStatus(await ws.post(`jobs/run/f/${path}`, {}), 201).text;
    };
    const nested = (path: string) => ({ id: "n", value: { type: "flow", path, input_transforms: {} } });
    const limited = (what: string, seconds: number) => {
      const { value, ...module } = telling("l", what, seconds);
      return { ...module, value: { ...value, concurrent_limit: 1, custom_concurrency_key: "restart" } };
    };
    const failsOnce = flow.script(
      "r",
      `export async function main(url: string) {
        if ((await (await fetch(url + "/tried")).text()) === "1") throw new Error("once");
        return "again";
      }`,
      { url: `"${witness.url}"` },
      { retry: { constant: { attempts: 1, seconds: 10 } } },
    );
    await ws.saveScript({ path: "f/t/tick", language: "bash", content: `curl -s ${witness.url}/tick` });
    const schedule = { schedule: "*/2 * * * * *", timezone: "UTC", script_path: "f/t/tick", is_flow: false, args: {} };
    expectStatus(await ws.post("schedules/create", { path: "f/t/often", ...schedule }), 201);

    await saveFlow(ws, "f/t/asks", [asks("ask"), flow.step("b", "'decided'")]);
    const holds = await waits("f/t/holds", [limited("held", 6)]);
    await witness.waitForReport("held");
    const [asking, outer, sleeping, retrying, queueing] = [
      await waits("f/t/asking", [asks("ask"), flow.step("b", "'decided'")]),
      await waits("f/t/outer", [nested("f/t/asks")]),
      await waits("f/t/sleeps", [flow.step("a", "1", { sleep: { type: "static", value: 12 } }), flow.step("b", "'woken'")]),
      await waits("f/t/retries", [failsOnce]),
      await waits("f/t/queues", [limited("slot", 0)]),
    ];
    const later = await ws.run("f/t/tick", {}, { scheduled_in_secs: 20 });
    const gates = [...(await waiting(ws, asking)), ...(await waiting(ws, outer))];
    await Promise.all([hasSucceeded(sleeping, "a"), witness.waitForReport("tried"), witness.waitForReport("tick")]);

    await instance.save();
    await instance.stopEngine("kill");
    const ticks = witness.count("tick");
    await instance.startEngine();
    for (const { gate_id } of gates) {
      const { resume } = await urls(ws, gate_id, { approver: "kim" });
      expect(await visit(resume, { body: {} })).toMatchObject({ status: 201 });
    }
    // The next check of a flow would be at least five minutes later.
    const results = {
      [asking]: "decided",
      [outer]: "decided",
      [sleeping]: "woken",
      [retrying]: "again",
      [holds]: "held",
      [queueing]: "slot",
    };
    for (const [id, result] of Object.entries(results)) expect(await ws.completed(id, 90_000)).toMatchObject({ success: true, result });
    expect(await ws.completed(later, 90_000)).toMatchObject({ success: true });
    await witness.waitForReport("tick", ticks + 2);
    expectStatus(await ws.post("schedules/setenabled/f/t/often", { enabled: false }), 200);
  }, 300_000);

  it("a flow whose execution was stopped ends as canceled with the reason", async () => {
    const id = await start([telling("a", "a4", 1), flow.step("b", "1", { sleep: { type: "static", value: 60 } }), telling("c", "c4")]);
    await witness.waitForReport("a4");
    const { endpoint } = instance;
    const sfn = new SFNClient({ endpoint, region: "us-east-1", credentials: { accessKeyId: "test", secretAccessKey: "test" } });
    const { stateMachines = [] } = await sfn.send(new ListStateMachinesCommand({ maxResults: 1000 }));
    const all = await Promise.all(
      stateMachines.map(({ stateMachineArn }) => sfn.send(new ListExecutionsCommand({ stateMachineArn, statusFilter: "RUNNING" }))),
    );
    const execution = all.flatMap(({ executions = [] }) => executions).find(({ name }) => name === `${id}.0`);
    await sfn.send(new StopExecutionCommand({ executionArn: execution?.executionArn, error: "Enough", cause: "somebody pressed stop" }));
    const ended = await ws.completed(id, 60_000);
    expect(ended).toMatchObject({ canceled: true, success: false });
    expect(String(ended["canceled_reason"])).toContain("somebody pressed stop");
    expect(witness.count("c4")).toBe(0);
  });
});

describe("flows deleted during a run", () => {
  it("a deleted flow ends, even if no function has it in memory", async () => {
    await saveFlow(ws, "f/t/deleted", [telling("a", "a7", 0, { sleep: { type: "static", value: 3 } }), telling("b", "b7")]);
    const id = expectStatus(await ws.post("jobs/run/f/f/t/deleted", {}), 201).text;
    await hasSucceeded(id, "a");
    expectStatus(await ws.call("DELETE", "flows/delete/f/t/deleted"), 200);
    crashFunction(instance, { output: "StepFunction" });
    const message = "The flow was deleted while it ran.";
    expect(await ws.completed(id, 60_000)).toMatchObject({ success: false, result: { error: { name: "FlowDeleted", message } } });
  });
});

describe("canceled flows", () => {
  it("a canceled flow ends at once, its waiting steps never start, and its running script is stopped", async () => {
    const id = await start([telling("a", "a5", 30), telling("b", "b5")]);
    await witness.waitForReport("a5");
    expectStatus(await ws.post(`jobs_u/queue/cancel/${id}`, { reason: "enough" }), 200);
    const ended = await ws.completed(id);
    expect(ended).toMatchObject({ canceled: true, canceled_reason: "enough", result: { error: { name: "Canceled" } } });
    const { modules } = ended["flow_status"] as { modules: { job: string }[] };
    expect(modules).toMatchObject([{ id: "a" }, { id: "b", type: "WaitingForPriorSteps" }]);
    const steps = (await ws.get("jobs/list", { parent_job: id })).json as { id: string }[];
    expect(await ws.completed(steps[0]?.id ?? "")).toMatchObject({ canceled: true, canceled_reason: "enough" });
    expect(witness.count("b5")).toBe(0);
    await housekeep();
    expect(await job(id)).toMatchObject({ canceled: true });
  });

  it("a waiting flow that is canceled ends at once", async () => {
    const id = await start([telling("a", "a6", 0, { sleep: { type: "static", value: 600 } }), telling("b", "b6")]);
    await witness.waitForReport("a6");
    await hasSucceeded(id, "a");
    expectStatus(await ws.post(`jobs_u/queue/cancel/${id}`, {}), 200);
    expect(await ws.completed(id)).toMatchObject({ canceled: true });
    expect(witness.count("b6")).toBe(0);
  });
});
