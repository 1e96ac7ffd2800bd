import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { api } from "../../support/api/api.ts";
import { expectStatus, newWorkspace, type Workspace } from "../../support/api/workspace.ts";
import { startTestInstance, type TestInstance } from "../../support/engine/instances.ts";
import { flowCalls } from "../../support/flows/calls.ts";
import { flow, saveFlow } from "../../support/flows/flow.ts";
import { tracesOf } from "../../support/flows/traces.ts";
import { startWitness, type Witness } from "../../support/jobs/witness.ts";
import { until } from "../../support/until.ts";

/** Stored state is read here as the tables and the bucket have it, in its own instance. */
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
const { start, ended, stepsOf } = flowCalls(() => ws);
const traces = (job: unknown) => tracesOf(instance, ws, job);

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
  const heard = (tag: string) => witness.reports.filter(({ query }) => query["tag"] === tag).map(({ what }) => what);
  /** The maximum number of simultaneous runs. */
  const mostAtOnce = (tag: string) => {
    let now = 0;
    return Math.max(0, ...heard(tag).map((what) => (what === "begun" ? ++now : --now)));
  };
  beforeAll(() => ws.saveScript({ path: "f/t/limited", language: "bun", content, concurrent_limit: 1 }));

  it("the limit of a script applies to steps and to direct runs together", async () => {
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

  it("the limit of an inline script applies by its key", async () => {
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

  it("the execution of a step that waits for long ends, and the flow continues when a slot is free, or ends with its waiting steps", async () => {
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
