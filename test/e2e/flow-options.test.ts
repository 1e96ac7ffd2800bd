import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { api } from "../support/api.ts";
import { invoke } from "../support/aws.ts";
import { flow, saveFlow } from "../support/flow.ts";
import { startTestInstance, type TestInstance } from "../support/instances.ts";
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
