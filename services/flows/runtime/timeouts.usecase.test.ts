import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { Cloud } from "../../../test/support/use-cases/aws/cloud.ts";
import { echo, nested, sleepS, step } from "../../../test/support/use-cases/cases/flow-modules.ts";
import { addFlow, endOfFlow, type FlowWorld, gates, newFlowWorld, startFlow } from "../../../test/support/use-cases/world-flows.ts";
import { addJob, resumeDue } from "../../../test/support/use-cases/world-jobs.ts";
import { handleJobMessage } from "../../execution/handle-job-message.ts";
import { cancelJob } from "../../jobs/cancel/cancel-job.ts";

let world: FlowWorld;
beforeAll(async () => {
  world = await newFlowWorld();
  await Promise.all([
    addFlow(world, "f/t/sleeps", [step("a", sleepS(600)), step("inside")]),
    addFlow(world, "f/t/asks", [{ id: "ask", value: { type: "identity" }, suspend: { required_events: 1, timeout: 100_000 } }]),
  ]);
});
const timedOut = (seconds: number) => ({
  state: "failed",
  result: { error: { name: "TimeoutError", message: `The flow exceeded its time limit of ${seconds} s.` } },
});

describe("the time limit of a flow", () => {
  const failing = { id: "a", value: { type: "script", path: "f/ops/none" }, retry: { constant: { attempts: 3, seconds: 600 } } };
  it.each<[string, object, string[]]>([
    ["it sleeps", { modules: [step("a", sleepS(600)), step("b")] }, ["a"]],
    ["it waits for its next attempt", { modules: [failing, step("b")] }, []],
    ["it waits for a nested flow", { modules: [nested("n", "f/t/sleeps"), step("b")] }, ["a"]],
    ["a segment sleeps", { same_worker: true, modules: [step("a", sleepS(600)), step("b")] }, ["a"]],
  ])("ends it while %s, and nothing after that begins", async (_title, value, ran) => {
    const from = world.results.length;
    const executions = world.started.length;
    const run = await startFlow(world, value, {}, { timeoutS: 3 });
    await new Cloud(world).play(run);
    expect(await endOfFlow(world, run)).toEqual(timedOut(3));
    expect(world.results.slice(from)).toEqual(ran);
    for (const { job } of world.started.slice(executions)) expect(await endOfFlow(world, job)).toMatchObject({ state: "failed" });
  });

  it("ends it by housekeeping while nothing of it runs, together with the flows nested in it", async () => {
    const from = world.started.length;
    const run = await startFlow(world, [nested("n", "f/t/asks"), step("z")], {}, { timeoutS: 300 });
    const cloud = new Cloud(world);
    const passS = async (seconds: number) => {
      world.clock.nowMs += seconds * 1000;
      await resumeDue(world);
      await cloud.playUntilQuiet();
    };
    await cloud.playUntilQuiet();
    await passS(60);
    expect(await world.deps.jobs.get(run)).toMatchObject({ state: "running" });
    await passS(241);
    expect(await endOfFlow(world, run)).toEqual(timedOut(300));
    const [, inner] = world.started.slice(from);
    expect(await endOfFlow(world, inner?.job ?? "")).not.toMatchObject({ state: "succeeded" });
  });

  it("does not concern a flow that ends in time", async () => {
    const run = await startFlow(world, [step("a"), echo("b", "2")], {}, { timeoutS: 3600 });
    await new Cloud(world).play(run);
    expect(await endOfFlow(world, run)).toEqual({ state: "succeeded", result: 2 });
  });
});

describe("a flow whose author chose a period beyond every date, before periods had bounds,", () => {
  const ENDLESS_S = 1e300;
  const asks = { id: "ask", value: { type: "identity" } };
  const gate = { type: "consentgate", approvers: ["role:admin"], timeout: ENDLESS_S, remind_after: ENDLESS_S };
  /** `until`: the state in which it waits; if absent, the flow runs to its end. */
  it.each<[string, object, "running" | "succeeded" | "failed"]>([
    ["waits for an approval", { modules: [{ ...asks, suspend: { required_events: 1, timeout: ENDLESS_S } }, step("b")] }, "running"],
    [
      "waits for a consent",
      { modules: [{ id: "ask", value: { ...gate, escalate: { after: ENDLESS_S, approvers: ["role:admin"] } } }] },
      "running",
    ],
    ["sleeps", { modules: [step("a", sleepS(ENDLESS_S)), step("b")] }, "failed"],
    ["repeats a step", { modules: [echo("a", "1", { retry: { constant: { attempts: 1, seconds: ENDLESS_S } } })] }, "succeeded"],
    [
      "limits a step",
      {
        modules: [echo("a", "1", { timeout: ENDLESS_S, cache_ttl: ENDLESS_S, delete_after_secs: ENDLESS_S })],
        delete_after_secs: ENDLESS_S,
      },
      "succeeded",
    ],
  ])("%s, and can be canceled by force", async (_, value, expected) => {
    const stored = await addJob(world, {
      id: randomUUID(),
      kind: "flowpreview",
      code: { in: "head", json: JSON.stringify({ flow: value }) },
      args: { in: "head", json: "{}" },
      hash: undefined,
      language: undefined,
      tag: "flow",
      timeoutS: 3600,
    });
    await handleJobMessage(world.deps, { job: stored.id });
    const cloud = new Cloud(world);
    await (expected === "running" ? cloud.playUntilQuiet() : cloud.play(stored.id));
    const job = (await world.deps.jobs.get(stored.id)) ?? expect.fail();
    expect(job.state).toBe(expected);
    if (job.state !== "running") return;
    for (const { opened } of await gates(world, job.id)) expect(new Date(opened?.deadlineMs ?? 0).getTime()).toBe(opened?.deadlineMs);
    await resumeDue(world);
    await cancelJob(world.deps, job, { by: "ann", reason: "", force: true });
    expect(await endOfFlow(world, job.id)).toMatchObject({ state: "canceled" });
  });
});
